"""What of JavaScript a drop-in must know: plain data in its files, how it writes and reads values.

Nothing here runs JavaScript.
"""
