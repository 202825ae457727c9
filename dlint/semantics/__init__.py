"""The modules of one project, linked: what does an expression denote?"""
