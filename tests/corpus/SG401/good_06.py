import PIL.Image as I
im = I.open('a.png'); im.resize((1,1)).save('b.png'); print(im.size)
