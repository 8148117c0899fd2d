"""kaicep.archive"""
