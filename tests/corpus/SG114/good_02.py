import cProfile
import io
import pstats

profile = cProfile.Profile()
profile.enable()
profile.disable()
pstats.Stats(profile, stream=io.StringIO()).sort_stats('time')
