# Components of variance of crossed factors by lme4: complete, with gaps, and one factor at a time.
# Rscript tests/golden/crossed_factors.R > tests/golden/crossed_factors.json
suppressPackageStartupMessages({library(lme4); library(jsonlite)})
set.seed(20261128)
made <- function(F, S, T, sd) {
  d <- expand.grid(split = 1:F, seed = 1:S, tuning = 1:T)
  d$y <- round(.2 + rnorm(F, sd = sd[1])[d$split] + rnorm(S, sd = sd[2])[d$seed] +
    rnorm(T, sd = sd[3])[d$tuning] + rnorm(F * S, sd = sd[4])[(d$split - 1) * S + d$seed] +
    rnorm(nrow(d), sd = sd[5]), 6)
  d
}
fit <- function(d, terms) {
  f <- as.formula(paste("y ~ 1 +", paste0("(1 | ", terms, ")", collapse = " + ")))
  m <- lmer(f, d, control = lmerControl(check.nobs.vs.nlev = "ignore",
    check.nobs.vs.nRE = "ignore", optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10)))
  v <- as.data.frame(VarCorr(m))
  own <- setNames(as.list(v$vcov), gsub(":", " x ", v$grp))
  list(levels = as.list(d[setdiff(names(d), "y")]), y = d$y, variances = own,
    criterion = as.numeric(REMLcrit(m)))
}
two <- made(8, 5, 1, c(.03, .01, 0, 0, .02))[c("split", "seed", "y")]
gaps <- two[-c(3, 11, 12, 20, 33, 40), ]
three <- made(6, 4, 3, c(.03, .02, .01, .02, .01))
lost <- three[-c(2, 9, 17, 30, 31, 32, 50, 71), ]
pairs <- c("split", "seed", "tuning", "split:seed", "split:tuning", "seed:tuning")
star <- rbind(
  data.frame(split = 1:20, seed = 1, tuning = 1), data.frame(split = 1, seed = 2:15, tuning = 1),
  data.frame(split = 1, seed = 1, tuning = 2:15), expand.grid(split = 21:26, seed = 16:20, tuning = 16))
star$y <- round(.2 + rnorm(26, sd = .03)[star$split] + rnorm(20, sd = .02)[star$seed] +
  rnorm(16, sd = .01)[star$tuning] + rnorm(nrow(star), sd = .01), 6)
cat(toJSON(list(
  how = list(command = "Rscript tests/golden/crossed_factors.R > tests/golden/crossed_factors.json",
    R = R.version.string, lme4 = as.character(packageVersion("lme4"))),
  complete = fit(two, c("split", "seed")), gaps = fit(gaps, c("split", "seed")),
  three = fit(three, pairs), lost = fit(lost, pairs), star = fit(star, c("split", "seed", "tuning", "seed:tuning"))
), auto_unbox = TRUE, digits = 14))
