# Block designs with missing cells: lme4 (REML), pbkrtest (Kenward-Roger), multcomp (max |t|).
# Rscript tests/golden/incomplete_blocks.R > tests/golden/incomplete_blocks.json
suppressMessages({
  library(lme4); library(pbkrtest); library(multcomp); library(jsonlite)
})
set.seed(1)

blocks <- function(B, K, sd_block, sd = 1) {
  y <- matrix(rnorm(B * K, sd = sd), B, K) + rnorm(B, sd = sd_block)
  round(y + rep(seq(0, 1, length.out = K), each = B), 4)
}
gaps <- function(y, share) { y[runif(length(y)) < share] <- NA; y }
bibd <- function() {           # 4 candidates, 6 blocks of 2, twice
  y <- blocks(12, 4, 1); pairs <- rep(combn(4, 2, simplify = FALSE), 2)
  for (b in 1:12) y[b, -pairs[[b]]] <- NA
  y
}
never <- function() {          # the last candidate has values in few blocks, some alone
  y <- blocks(15, 5, 0.8); y[-(1:3), 5] <- NA; y[1:2, 1:4] <- NA; y
}

model <- function(y) {
  K <- ncol(y)
  d <- data.frame(y = as.vector(y), block = factor(rep(seq_len(nrow(y)), K)),
                  k = factor(rep(seq_len(K), each = nrow(y))))
  d <- d[!is.na(d$y), ]
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12))
  fit <- suppressMessages(lmer(y ~ 0 + k + (1 | block), d, control = control))
  adjusted <- as.matrix(vcovAdj(fit))
  first <- cbind(1, -diag(K - 1))
  test <- KRmodcomp(fit, first)$stats
  pairs <- t(combn(K, 2)); contrasts <- matrix(0, nrow(pairs), K)
  contrasts[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
  contrasts[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
  df <- apply(contrasts, 1, function(l) KRmodcomp(fit, rbind(l))$stats$ddf)
  neck <- parm(fixef(fit), adjusted, df = floor(min(df)))
  set.seed(1)
  adjust <- summary(glht(neck, contrasts), test = adjusted("single-step", abseps = 1e-6, maxpts = 1e6))
  list(values = y, means = unname(fixef(fit)), sigma = sigma(fit),
       sigma_block = as.numeric(attr(VarCorr(fit)$block, "stddev")), criterion = REMLcrit(fit),
       covariance = as.matrix(vcov(fit)), adjusted = adjusted,
       F = test$Fstat, df2 = test$ddf, p = test$p.value, pair_df = df,
       max_t_df = floor(min(df)), max_t_p = as.numeric(adjust$test$pvalues))
}
adjusted <- multcomp::adjusted
designs <- list(scattered = gaps(blocks(12, 5, 1), .15), bibd = bibd(), few = never(),
                large = gaps(blocks(40, 6, .5), .3), two = gaps(blocks(9, 2, 1), .25))
out <- lapply(designs, model)
versions <- sapply(c("lme4", "pbkrtest", "multcomp", "mvtnorm"),
                   function(p) as.character(packageVersion(p)))
how <- list(command = "Rscript tests/golden/incomplete_blocks.R > tests/golden/incomplete_blocks.json",
            R = R.version.string, packages = as.list(versions))
cat(toJSON(c(list("_how" = how), out), digits = NA, auto_unbox = TRUE, na = "null", pretty = FALSE))
cat("\n")
