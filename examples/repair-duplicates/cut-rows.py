"""Some rows of a CSV file whose fields hold line breaks: python3 cut-rows.py FILE FROM TO > PART (as Python slices)"""
import csv
import sys

path, first, last = sys.argv[1:]
with open(path, newline="") as file:
    header, *rows = csv.reader(file)
csv.writer(sys.stdout).writerows([header, *rows[int(first) if first else None : int(last) if last else None]])
