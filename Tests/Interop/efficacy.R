# Detection and continuity of the devices in a folder, computed in R from their files, which are read with the calls and column types of the scripts of
# the Herald project: efficacy.R FOLDER FROM TO. Prints observer, observed, windows for each ordered pair with an event, and the detected pairs.
arguments <- commandArgs(trailingOnly = TRUE)
from <- as.POSIXct(arguments[2], format = "%Y-%m-%d %H:%M:%S")
to <- as.POSIXct(arguments[3], format = "%Y-%m-%d %H:%M:%S")
folders <- list.dirs(path = arguments[1], recursive = FALSE)
owner <- sapply(folders, function(folder) {
  device <- read.table(paste(folder, "/detection.csv", sep = ""), sep = ",", header = FALSE, stringsAsFactors = FALSE)
  stopifnot(ncol(device) >= 4, nrow(device) == 1)
  as.character(device[1, 4])
})
stopifnot(length(unique(owner)) == length(folders))

for (folder in folders) {
  own <- owner[[folder]]
  rows <- read.table(paste(folder, "/contacts.csv", sep = ""), sep = ",", header = TRUE)
  stopifnot(identical(names(rows), c("time", "sensor", "id", "detect", "read", "measure", "share", "visit", "detectHerald", "delete", "data")))
  stopifnot(nrow(rows[which(rows$detect == 1), ]) > 0)
  reads <- unique(rows[which(rows$read == 2), c("id", "data")])
  reads$payload <- substr(reads$data, 1, 6)
  measured <- unique(rows[which(rows$measure == 3), c("time", "id", "data")])
  stopifnot(!anyNA(as.numeric(substr(measured$data, 7, 9))))
  measured <- merge(measured[, c("time", "id")], reads[, c("id", "payload")], by = "id")
  shared <- unique(rows[which(rows$share == 4), c("time", "data")])
  shared <- shared[shared$data %in% reads$payload, ]
  events <- rbind(measured[, c("time", "payload")], data.frame(time = shared$time, payload = shared$data))
  events <- events[events$payload %in% setdiff(owner, own), ]
  for (payload in sort(unique(events$payload))) cat("detected", own, payload, "\n")
  events$t <- as.POSIXct(events$time, format = "%Y-%m-%d %H:%M:%S")
  stopifnot(!anyNA(events$t))
  events <- events[events$t >= from & events$t <= to, ]
  if (nrow(events) == 0) next
  events$window <- as.integer(cut(events$t, breaks = "30 secs"))
  counts <- table(unique(events[, c("payload", "window")])$payload)
  for (payload in names(counts)) cat("windows", own, payload, counts[[payload]], "\n")
}
