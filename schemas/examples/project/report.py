import sys

with open("data/numbers", encoding="ascii") as numbers, open("out/report", "w", encoding="ascii") as report:
    report.write(f"{sys.argv[1]} {sum(map(int, numbers.read().split()))}\n")
