# More mixed models, Tukey limits and permutation tests than the reference has: lme4 (REML),
# pbkrtest (Kenward-Roger), multcomp (Tukey), coin (permutation).
# Rscript tests/golden/more_models.R > tests/golden/more_models.json
suppressMessages({
  library(lme4); library(pbkrtest); library(multcomp); library(coin); library(jsonlite)
})
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5),
                       check.conv.singular = "ignore", calc.derivs = FALSE)
fitted_by_reml <- function(formula, d) suppressWarnings(suppressMessages(lmer(formula, d, control = control)))
sds <- function(fit, group) as.numeric(attr(VarCorr(fit)[[group]], "stddev"))
contrasts_of <- function(K) {
  pairs <- t(combn(K, 2)); m <- matrix(0, nrow(pairs), K)
  m[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
  m[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
  m
}

# ------------------------------------------------------------------------------ one data set

block_frame <- function(y) {
  K <- ncol(y)
  d <- data.frame(y = as.vector(y), b = factor(rep(seq_len(nrow(y)), K)),
                  k = factor(rep(seq_len(K), each = nrow(y))))
  d[!is.na(d$y), ]
}
blocks <- function(B, K, sd_block, spread = .6) {
  y <- matrix(rnorm(B * K), B, K) + rnorm(B, sd = sd_block)
  round(y + rep(seq(0, spread, length.out = K), each = B), 3)
}
boundary <- function(B, K) {  # blocks vary less than residuals
  repeat {
    y <- blocks(B, K, 0)
    if (var(rowMeans(y)) * K < .8 * mean((y - outer(rowMeans(y), colMeans(y), "+") + mean(y))^2)) return(y)
  }
}
block_case <- function(y) {
  d <- block_frame(y); fit <- fitted_by_reml(y ~ 0 + k + (1 | b), d)
  strata <- summary(aov(y ~ k + Error(b), d))$"Error: Within"[[1]]
  K <- ncol(y); z <- glht(fit, contrasts_of(K))
  two <- lm(y ~ k + b, d); rows <- grep("^k", names(coef(two)))
  mse <- summary(two)$sigma^2; df <- two$df.residual
  means <- colMeans(y); pair <- contrasts_of(K) %*% means
  half <- qtukey(.95, K, df) / sqrt(2) * sqrt(2 * mse / nrow(y))
  asymptotic <- qtukey(.95, K, Inf) / sqrt(2) * sqrt(2 * sigma(fit)^2 / nrow(y))
  list(values = y, criterion = REMLcrit(fit), sigma = sigma(fit), sigma_block = sds(fit, "b"),
       F = strata["k", "F value"], df1 = strata["k", "Df"], df2 = df, p = strata["k", "Pr(>F)"],
       tukey = cbind(pair, pair - half, pair + half),
       tukey_p = ptukey(abs(pair) / sqrt(2 * mse / nrow(y)) * sqrt(2), K, df, lower.tail = FALSE),
       asymptotic = cbind(pair, pair - asymptotic, pair + asymptotic),
       multcomp = unname(confint(z)$confint))
}
few_df_case <- function(y) {  # fewer than 4 degrees of freedom
  d <- block_frame(y); fit <- fitted_by_reml(y ~ 0 + k + (1 | b), d)
  s <- KRmodcomp(fit, cbind(1, -diag(ncol(y) - 1)))$stats
  list(values = y, criterion = REMLcrit(fit), sigma_block = sds(fit, "b"),
       F = s$Fstat, df2 = s$ddf, p = s$p.value)
}
gap <- function(y, at) { y[at] <- NA; y }

# -------------------------------------------------------------------------------- permutation

ranked_case <- function(y) {
  d <- block_frame(y); K <- ncol(y)
  f <- friedman.test(y); each <- friedman_test(y ~ k | b, d)
  raw <- symmetry_test(y ~ k | b, d, teststat = "quadratic")
  all <- symmetry_test(y ~ k | b, d, teststat = "maximum",
    xtrafo = function(data) trafo(data, factor_trafo = function(x)
      model.matrix(~ x - 1) %*% t(contrMat(table(x), "Tukey"))),
    ytrafo = function(data) trafo(data, numeric_trafo = rank_trafo, block = d$b))
  signed <- lapply(c(wilcoxon = "Wilcoxon", pratt = "Pratt"), function(zeros) combn(K, 2, function(p) {
    x <- y[, p[1]]; z <- y[, p[2]]
    pvalue(wilcoxsign_test(x ~ z, distribution = "exact", zero.method = zeros))
  }))
  paired <- combn(K, 2, function(p) {
    v <- c(y[, p[1]], y[, p[2]]); g <- factor(rep(1:2, each = nrow(y)))
    pvalue(symmetry_test(v ~ g | factor(rep(seq_len(nrow(y)), 2)), distribution = "exact"))
  })
  list(values = y, friedman = unname(f$statistic), p = f$p.value, coin = statistic(each),
       raw = statistic(raw), raw_p = as.numeric(pvalue(raw)),
       standardised = as.vector(statistic(all, "standardized")),
       signed_rank = signed, paired = paired)
}

# ------------------------------------------------------------------------------------- domains

domain <- function(M, B, K, s1, s2, s3, s = 1) {
  a <- array(rnorm(M * B * K, sd = s), c(M, B, K)) + rnorm(M, sd = s1)
  a <- a + array(rnorm(M * B, sd = s3), c(M, B, K))
  inter <- array(rnorm(M * K, sd = s2), c(M, K))
  for (k in 1:K) a[, , k] <- a[, , k] + inter[, k] + .3 * k
  round(a, 3)
}
domain_frame <- function(a) {
  i <- expand.grid(m = seq_len(dim(a)[1]), b = seq_len(dim(a)[2]), k = seq_len(dim(a)[3]))
  d <- data.frame(lapply(i, factor), y = as.vector(a)); d[!is.na(d$y), ]
}
interaction_case <- function(a) {
  d <- domain_frame(a)
  fit <- fitted_by_reml(y ~ 0 + k + (1 | m) + (1 | m:k) + (1 | m:b), d)
  K <- dim(a)[3]; s <- KRmodcomp(fit, cbind(1, -diag(K - 1)))$stats
  sd <- c(sds(fit, "m"), sds(fit, "m:k"), sds(fit, "m:b"), sigma(fit))
  list(values = a, criterion = REMLcrit(fit), means = unname(fixef(fit)), variances = sd^2,
       mean_se = sqrt(as.matrix(vcovAdj(fit))[1, 1]),
       mean_df = KRmodcomp(fit, rbind(c(1, rep(0, K - 1))))$stats$ddf,
       F = s$Fstat, df2 = s$ddf, p = s$p.value, interior = min(sd) > 1e-3)
}
unstructured_case <- function(a) {
  d <- domain_frame(a)
  fit <- fitted_by_reml(y ~ 0 + k + (0 + k | m) + (1 | m:b), d)
  list(values = a, criterion = REMLcrit(fit), means = unname(fixef(fit)),
       covariance = unname(as.matrix(VarCorr(fit)$m)[,]), replication = sds(fit, "m:b")^2, residual = sigma(fit)^2)
}
gaps <- function(a, share) { a[runif(length(a)) < share] <- NA; a }

set.seed(11)
out <- list(
  block = list(two = block_case(blocks(9, 2, 1)), seven = block_case(blocks(20, 7, .5)),
               boundary = block_case(boundary(10, 4)), boundary_two = block_case(boundary(6, 2)),
               many = block_case(blocks(120, 12, 2, 1.5))),
  few_df = list(one_gap = few_df_case(gap(blocks(3, 3, 3), 5)), balanced = few_df_case(blocks(2, 4, 4)),
                three_gaps = few_df_case(gap(blocks(3, 4, 4), c(2, 6, 11)))),
  ranked = list(untied = ranked_case(blocks(11, 4, 1)), tied = ranked_case(round(blocks(12, 3, .5, 1.5))),
                two = ranked_case(round(blocks(10, 2, .5, 1), 1))),
  interaction = list(five = interaction_case(domain(5, 4, 3, 1, .6, .5)),
                     two_candidates = interaction_case(domain(6, 5, 2, .5, .5, .7)),
                     two_datasets = interaction_case(domain(2, 6, 4, 1, 1, .5)),
                     no_dataset = interaction_case(domain(5, 3, 4, 0, 1.5, .5)),
                     no_interaction = interaction_case(domain(8, 4, 3, 1, 0, .5)),
                     no_replication = interaction_case(domain(4, 6, 3, 1, .5, 0)),
                     nothing = interaction_case(domain(6, 3, 3, 0, 0, 0)),
                     gaps = interaction_case(gaps(domain(8, 6, 4, 1, .5, .6), .12)),
                     gaps_two = interaction_case(gaps(domain(4, 8, 2, .8, .6, .6), .15))),
  unstructured = list(interior = unstructured_case(domain(9, 6, 3, 1, .8, .5)),
                      singular = unstructured_case(domain(3, 5, 4, 1, .8, .5)),
                      boundary = unstructured_case(domain(7, 4, 3, .7, 0, .6)),
                      two = unstructured_case(domain(8, 5, 2, 1, .6, .4)),
                      gaps = unstructured_case(gaps(domain(9, 6, 3, 1, .8, .5), .1))))
versions <- sapply(c("lme4", "pbkrtest", "multcomp", "coin"), function(p) as.character(packageVersion(p)))
how <- list(command = "Rscript tests/golden/more_models.R > tests/golden/more_models.json",
            R = R.version.string, packages = as.list(versions))
cat(toJSON(c(list("_how" = how), out), digits = NA, auto_unbox = TRUE, na = "null", pretty = FALSE))
cat("\n")
