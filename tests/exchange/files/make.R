# Makes the files of R beside this one. R 4.2.2, base packages only:
#
#   Rscript make.R
#
# The array has the four ways of the package benchmark's own data (uci621raw, monks3raw); the data
# frame has the columns and the class of its viewAlgorithmPerformance().
set.seed(1)
bench <- array(
  round(runif(3 * 2 * 2 * 2), 3), dim = c(3, 2, 2, 2),
  dimnames = list(
    samp = NULL, alg = c("lda", "svm"), perf = c("Misclassification", "Time"),
    ds = c("monks3", "G\u00fcte")
  )
)
bench[2, "svm", "Misclassification", "monks3"] <- NA
other <- list(note = "not a table", f = function(x) x + 1)
save(bench, other, file = "array.RData")

turned <- aperm(bench, c(4, 2, 3, 1))
saveRDS(turned, "turned.rds", compress = "xz")

view <- as.data.frame.table(bench, responseName = "value")
names(view) <- c("samples", "algorithms", "performances", "datasets", "value")
view$samples <- factor(as.integer(view$samples))
view <- structure(
  view[, c("samples", "datasets", "algorithms", "performances", "value")],
  class = c("AlgorithmPerformance", "data.frame"), algorithm_colors = c(lda = "#FF0000", svm = "#00FF00")
)
plain <- data.frame(candidate = c("a", "a", "b", "b"), replication = c(1L, 2L, 1L, 2L), err = c(.1, .2, NA, .4))
plain$model <- list(1, 2, sum, "x")
saveRDS(view, "view.rds")
save(view, plain, file = "frames.rda", compress = "bzip2")
saveRDS(plain, "plain.rds", ascii = TRUE)

# Not packed, for tests that turn them into files that claim more than they hold.
saveRDS(data.frame(candidate = letters[1:10], err = 1:10), "sequence.rds", compress = FALSE)
saveRDS(compiler::cmpfun(function(x) x + 1, list(optimize = 3)), "compiled.rds", compress = FALSE)
cat(sprintf("%.3f", bench[, , "Misclassification", "monks3"]), "\n")
