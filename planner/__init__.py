"""kaicep.planner"""
