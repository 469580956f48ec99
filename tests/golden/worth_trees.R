# Trees of worths by psychotree, more varied than those of the reference: 3 to 8 candidates, with
# and without ties, numeric, categorical and ordered characteristics, one to three levels deep.
# Rscript tests/golden/worth_trees.R > tests/golden/worth_trees.json
suppressMessages({ library(psychotree); library(jsonlite) })
options(digits = 15)
RNGversion("4.2.0")

# Smaller is better: +1 the first of a pair is preferred, 0 a tie, -1 the second. Where nothing is
# tied the scale must be -1, 1: with 0 in it psychotree estimates nu all the same, log nu is about
# -25, its variance 2e7 and the instability statistics of `five` are in the millions.
compared <- function(errors) {
  K <- ncol(errors); pair <- which(upper.tri(diag(K)), arr.ind = TRUE)
  outcomes <- sign(errors[, pair[, 2]] - errors[, pair[, 1]])
  paircomp(outcomes, labels = colnames(errors), mscale = if (any(outcomes == 0)) -1:1 else c(-1, 1))
}
rowwise <- function(m) unname(as.matrix(m))
# The trees' own fits stop at a relative change of 1e-8 and give the covariance of the step before
# (off by 2e-5 with 16 rows), so that the models of the nodes are fitted again to the end.
of_node <- function(tree, id) {
  node <- nodeapply(tree, id)[[1]]
  model <- btmodel(refit.modelparty(tree, node = id)$y, epsilon = 1e-14, maxit = 100)
  test <- info_node(node)$test; split <- split_node(node)
  list(number = id, n = nrow(data_party(tree, id)),
       variable = if (is.null(split)) NULL else names(tree$data)[split$varid],
       cut = split$breaks, index = split$index, kids = if (is.terminal(node)) NULL else
         nodeapply(tree, id, function(n) sapply(kids_node(n), id_node))[[1]],
       statistics = if (is.null(test)) NULL else as.list(test["statistic", ]),
       p_values = if (is.null(test)) NULL else as.list(test["p.value", ]),
       parameters = unname(coef(model)), covariance = rowwise(vcov(model)),
       log_likelihood = as.numeric(logLik(model)), worths = as.numeric(itempar(model)))
}
case <- function(errors, traits, ...) {
  colnames(errors) <- letters[seq_len(ncol(errors))]
  d <- data.frame(row = seq_len(nrow(errors))); d$preference <- compared(errors); d <- cbind(d, traits)
  set.seed(1)
  tree <- bttree(reformulate(names(traits), "preference"), data = d, ...)
  list(errors = unname(errors), settings = list(...),
       traits = lapply(traits, function(x) list(
         kind = if (is.ordered(x)) "ordinal" else if (is.factor(x)) "categorical" else "numeric",
         values = if (is.factor(x)) as.integer(x) - 1L else x)),
       nodes = lapply(nodeids(tree), function(id) of_node(tree, id)))
}
errors_of <- function(effects, sd = 1, digits = 0) {
  round(effects + matrix(rnorm(length(effects), sd = sd), nrow(effects)), digits)
}
effects <- function(n, K) matrix(seq(0, .8, length.out = K), n, K, byrow = TRUE)

set.seed(81)
# Three candidates with ties; numbers with ties, four categories, five ordered classes.
n <- 240
size <- round(runif(n), 1); kind <- factor(sample(c("p", "q", "r", "s"), n, TRUE))
grade <- factor(sample(1:5, n, TRUE), ordered = TRUE)
e <- effects(n, 3); e[size > .5, 1] <- 2; e[kind %in% c("q", "s"), 2] <- -1
three <- case(errors_of(e), list(size = size, kind = kind, grade = grade, noise = round(rnorm(n), 2)),
              minsize = 15, ordinal = "L2", nrep = 100000)
# Ordered classes decide.
e <- effects(n, 3); e[grade > "3", 1] <- 1.6
ordered <- case(errors_of(e), list(grade = grade, size = size), minsize = 20, ordinal = "L2", nrep = 100000)
# Five without a tie, three levels deep.
n <- 360
x <- round(runif(n), 3); y <- round(rexp(n), 2); where <- factor(sample(c("u", "v", "w"), n, TRUE))
e <- effects(n, 5); e[x > .4, 1] <- 2; e[x > .4 & y > .8, 2] <- 3; e[x > .4 & y > .8 & where == "v", 5] <- -2
errors <- t(apply(errors_of(e, digits = 9), 1, rank))
five <- case(errors, list(x = x, y = y, where = where), minsize = 20)
# Eight with ties.
n <- 260
x <- round(runif(n), 2); y <- sample(3, n, TRUE)
e <- effects(n, 8); e[x <= .3, 8] <- -1
eight <- case(errors_of(e), list(x = x, y = y, where = factor(sample(c("u", "v"), n, TRUE))), minsize = 40)
# Fifteen data sets of sixteen samples: characteristics are constant within a data set.
m <- 15; d <- rep(seq_len(m), each = 16); n <- length(d)
x <- round(runif(m), 1)[d]; y <- round(rnorm(m), 2)[d]; where <- factor(rep(c("u", "v", "w"), 5))[d]
e <- effects(n, 4) + matrix(rnorm(m * 4, sd = .4), m)[d, ]; e[x > .5, 1] <- 1.5
within <- case(errors_of(e), list(x = x, y = y, where = where, drawn = round(rnorm(n), 2)), minsize = 32)
# Parts nearly as large as halves: breaks at two places only, and one at which there is no test.
n <- 81
x <- round(runif(n), 2); e <- effects(n, 3); e[x > .5, 1] <- 1.6
halves <- case(errors_of(e), list(x = x, y = rnorm(n)), minsize = 40)
# Small parts; some are tested with one category left, some not at all; a larger alpha.
n <- 90
x <- round(runif(n), 2); kind <- factor(sample(c("p", "q", "r"), n, TRUE))
e <- effects(n, 3); e[x > .6, 1] <- 2; e[x <= .6 & kind == "p", 3] <- -1
small <- case(errors_of(e), list(x = x, kind = kind, y = round(rnorm(n), 1)), minsize = 8, alpha = .2)
# Rows without a value of a characteristic: R leaves them out everywhere.
x[c(3, 40, 77)] <- NA
missing <- case(errors_of(e), list(x = x, kind = kind), minsize = 10)

version <- function(p) paste(p, packageVersion(p))
cat(toJSON(list(
  `_how` = c(R.version.string, sapply(c("psychotree", "psychotools", "partykit", "strucchange"), version)),
  three = three, ordered = ordered, five = five, eight = eight, within = within, halves = halves,
  small = small, missing = missing), digits = 12, auto_unbox = TRUE, na = "null", null = "null"))
