# Worths of battles by two programs: psychotools (Davidson's model with ties) and BradleyTerry2
# (without ties, with an effect of the order).
# Rscript tests/golden/battles.R > tests/golden/battles.json
suppressMessages({ library(psychotools); library(BradleyTerry2); library(jsonlite) })
options(digits = 15)
RNGversion("4.2.0"); set.seed(46)

K <- 5; names <- letters[1:K]; n <- 400
theta <- c(.8, .4, 0, -.3, -.9)
first <- sample(K, n, TRUE, prob = c(4, 3, 2, 2, 1)); second <- sample(K, n, TRUE)
keep <- first != second; first <- first[keep]; second <- second[keep]; n <- length(first)
d <- theta[first] - theta[second] + .3
p <- cbind(exp(d / 2), .6, exp(-d / 2)); p <- p / rowSums(p)
u <- runif(n); outcome <- ifelse(u < p[, 1], 1, ifelse(u < p[, 1] + p[, 2], 0, -1))

# One row a battle: -1, 0 or 1 in the column of its pair, whose columns are 1:2, 1:3, 2:3, ...
pair <- which(upper.tri(diag(K)), arr.ind = TRUE)
table <- matrix(NA, n, nrow(pair))
for (i in 1:n) {
  lo <- min(first[i], second[i]); hi <- max(first[i], second[i])
  table[i, pair[, 1] == lo & pair[, 2] == hi] <- if (first[i] == lo) outcome[i] else -outcome[i]
}
model <- btmodel(paircomp(table, labels = names, mscale = -1:1), ref = K, epsilon = 1e-14, maxit = 200)

# Without ties and with the order: at.home is 1 for the one that is shown first.
won <- outcome != 0
frame <- data.frame(first = first[won], second = second[won], win = as.numeric(outcome[won] == 1))
frame$player1 <- data.frame(model = factor(names[frame$first], names), home = 1)
frame$player2 <- data.frame(model = factor(names[frame$second], names), home = 0)
order <- BTm(win, player1, player2, formula = ~ model + home, id = "model", refcat = "e", data = frame,
             epsilon = 1e-14, maxit = 200)
plain <- BTm(win, player1, player2, formula = ~ model, id = "model", refcat = "e", data = frame,
             epsilon = 1e-14, maxit = 200)
rowwise <- function(m) unname(as.matrix(m))
of <- function(m) list(names = names(coef(m)), coefficients = unname(coef(m)), covariance = rowwise(vcov(m)))
cat(toJSON(list(
  "_how" = list(packages = c(R.version.string, paste("psychotools", packageVersion("psychotools")),
                             paste("BradleyTerry2", packageVersion("BradleyTerry2")))),
  first = first - 1, second = second - 1, outcome = outcome,
  davidson = list(names = names(coef(model)), coefficients = unname(coef(model)), covariance = rowwise(vcov(model)),
                  log_likelihood = as.numeric(logLik(model))),
  order = of(order), plain = of(plain)), digits = 15, auto_unbox = TRUE))
