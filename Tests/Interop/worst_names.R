# Reads tables of exports with R's defaults, and prints for each column its class and its values: worst_names.R FOLDER.
folder <- commandArgs(trailingOnly = TRUE)[1]
say <- function(table, columns) {
  read <- read.csv(paste(folder, table, sep = "/"), encoding = "UTF-8")
  for (name in columns) cat(paste(c(name, class(read[[name]]), unique(read[[name]])), collapse = "\t"), "\n", sep = "")
}
say("csv/persons.csv", c("name", "role", "place"))
say("csv/devices.csv", "serial")
say("csv/contacts.csv", "device")
say("epicontacts/linelist.csv", c("name", "role", "place"))
