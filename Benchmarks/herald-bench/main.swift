var figures = Figures()
AdvertisingBenchmark.run(&figures)
ATTBenchmark.run(&figures)
try figures.write(to: ".build/figures/bench.json")
