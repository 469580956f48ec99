# Dunnett's comparisons with lda on monks3: multcomp on the block design.
# Rscript tests/golden/reference.R monks3raw.csv > tests/golden/reference.json
library(multcomp)
file <- commandArgs(trailingOnly = TRUE)[1]
raw <- read.csv(file)
raw <- raw[raw$measure == "Misclassification", ]
raw$algorithm <- relevel(factor(raw$algorithm), ref = "lda")
raw$replication <- factor(raw$replication)
model <- lm(value ~ algorithm + replication, data = raw)
# glht() on the whole model carries 249 columns of blocks; the five contrasts are all it needs
rows <- grep("^algorithm", names(coef(model)))
few <- parm(coef(model)[rows], vcov(model)[rows, rows], df = model$df.residual)
compared <- glht(few, linfct = diag(length(rows)))
set.seed(1)
exact <- GenzBretz(maxpts = 5e6, abseps = 1e-8)
s <- summary(compared, test = adjusted("single-step", algorithm = exact))$test
ci <- confint(compared, calpha = qmvt(0.95, tail = "both", df = model$df.residual,
  corr = cov2cor(vcov(few)), algorithm = exact)$quantile)$confint
names <- sub("^algorithm", "", names(coef(model))[rows])
line <- function(i) sprintf(
  '  {"candidate": "%s", "estimate": %.15g, "se": %.15g, "p": %.15g, "lower": %.15g, "upper": %.15g}',
  names[i], s$coefficients[i], s$sigma[i], s$pvalues[i], ci[i, "lwr"], ci[i, "upr"])
cat(sprintf('{"df": %d, "reference": "lda", "pairs": [\n', model$df.residual))
cat(paste(sapply(seq_along(rows), line), collapse = ",\n"), "\n]}\n")
