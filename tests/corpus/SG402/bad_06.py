from PIL import Image
Image.new('L',(1,1)).save('/etc/x.png')  # expect: SG401, SG402
