"""kaicep.semfilter"""
