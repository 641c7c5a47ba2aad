# Reads linelist.csv and contacts.csv as epicontacts does (the first column identifies, the first two are a contact), and contacts.graphml, into igraph:
# igraph.R FOLDER FOLDER. Prints the vertices and edges of both.
suppressPackageStartupMessages(library(igraph))
arguments <- commandArgs(trailingOnly = TRUE)
linelist <- read.csv(paste(arguments[1], "/linelist.csv", sep = ""), encoding = "UTF-8", colClasses = c(id = "character"))
contacts <- read.csv(paste(arguments[1], "/contacts.csv", sep = ""), colClasses = c(from = "character", to = "character", date = "Date"))
stopifnot(!anyDuplicated(linelist$id), all(contacts$from %in% linelist$id), all(contacts$to %in% linelist$id))
stopifnot(is.numeric(contacts$minutes), !anyNA(contacts$date))
tables <- graph_from_data_frame(contacts, directed = FALSE, vertices = data.frame(name = linelist$id, label = linelist$name, role = linelist$role))
cat("tables", vcount(tables), ecount(tables), sum(E(tables)$minutes), "\n")
file <- read_graph(paste(arguments[2], "/contacts.graphml", sep = ""), format = "graphml")
cat("graphml", vcount(file), ecount(file), sum(E(file)$minutes), is_directed(file), "\n")
for (label in V(file)$name) cat("name", label, "\n")
