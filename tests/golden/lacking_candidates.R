# Domain models of data sets that lack whole candidates: lme4 (REML, predictions), pbkrtest
# (Kenward and Roger), multcomp (single-step intervals by the normal law).
# Rscript tests/golden/lacking_candidates.R > tests/golden/lacking_candidates.json
suppressMessages({ library(lme4); library(pbkrtest); library(multcomp); library(jsonlite) })
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5),
                       check.conv.singular = "ignore", calc.derivs = FALSE)
reml <- function(formula, d) suppressWarnings(suppressMessages(lmer(formula, d, control = control)))
contrasts_of <- function(K) {
  pairs <- t(combn(K, 2)); m <- matrix(0, nrow(pairs), K)
  m[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
  m[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
  m
}
domain <- function(M, B, K, s1, s2, s3) {
  a <- array(rnorm(M * B * K), c(M, B, K)) + rnorm(M, sd = s1)
  a <- a + array(rnorm(M * B, sd = s3), c(M, B, K))
  taste <- array(rnorm(M * K, sd = s2), c(M, K))
  for (k in 1:K) a[, , k] <- a[, , k] + taste[, k] + .5 * k
  round(a, 3)
}
lack <- function(a, cells) {  # pairs (data set, candidate) without any value
  for (i in seq(1, length(cells), 2)) a[cells[i], , cells[i + 1]] <- NA
  a
}
gaps <- function(a, share) { a[runif(length(a)) < share] <- NA; a }
domain_frame <- function(a) {
  i <- expand.grid(m = seq_len(dim(a)[1]), b = seq_len(dim(a)[2]), k = seq_len(dim(a)[3]))
  d <- data.frame(lapply(i, factor), y = as.vector(a)); d[!is.na(d$y), ]
}
tests_of <- function(fit, K) {
  pairs <- contrasts_of(K); s <- KRmodcomp(fit, cbind(1, -diag(K - 1)))$stats
  v <- as.matrix(vcovAdj(fit))
  list(F = s$Fstat, df2 = s$ddf, p = s$p.value, mean_se = sqrt(diag(v)),
       pair_se = sqrt(diag(pairs %*% v %*% t(pairs))),
       pair_df = apply(pairs, 1, function(p) KRmodcomp(fit, rbind(p))$stats$ddf),
       normal = unname(confint(glht(fit, pairs))$confint))
}
interaction_case <- function(a) {
  d <- domain_frame(a); K <- dim(a)[3]
  fit <- reml(y ~ 0 + k + (1 | m) + (1 | m:k) + (1 | m:b), d)
  sd <- function(g) as.numeric(attr(VarCorr(fit)[[g]], "stddev"))
  taste <- ranef(fit)[["m:k"]]
  c(list(values = a, criterion = REMLcrit(fit), means = unname(fixef(fit)),
         variances = c(sd("m"), sd("m:k"), sd("m:b"), sigma(fit))^2,
         level = ranef(fit)$m[, 1], taste = setNames(as.list(taste[, 1]), rownames(taste))),
    tests_of(fit, K))
}
set.seed(21)
one <- lack(domain(8, 5, 4, 1, .8, .6), c(3, 2))
few <- lack(domain(8, 5, 6, 1, .8, .6), c(2, 1, 2, 3, 2, 4, 2, 6, 5, 5))
ragged <- gaps(lack(domain(9, 6, 4, 1, .8, .6), c(1, 4, 4, 4, 6, 1)), .1)
alone <- lack(domain(7, 5, 3, 1, .8, .6), c(2, 1, 2, 3, 5, 2))
out <- list(
  interaction = list(one = interaction_case(one), few = interaction_case(few),
                     ragged = interaction_case(ragged), alone = interaction_case(alone)))
versions <- sapply(c("lme4", "pbkrtest", "multcomp"), function(p) as.character(packageVersion(p)))
how <- list(command = "Rscript tests/golden/lacking_candidates.R > tests/golden/lacking_candidates.json",
            R = R.version.string, packages = as.list(versions))
cat(toJSON(c(list(`_how` = how), out), digits = 12, auto_unbox = TRUE, na = "null"), "\n")
