# Numbers for tests/catalogue/test_regression.py and test_smoothing.py:
# Rscript regression.R > regression.json
library(MASS)
library(e1071)
modern <- rbind(cars, data.frame(speed = 30, dist = 8))
at <- data.frame(speed = c(4, 7.5, 12, 19.25, 25, 30))
number <- function(x) paste0("[", paste(trimws(formatC(x, digits = 15, format = "g")), collapse = ", "), "]")
huber <- rlm(dist ~ speed, modern, psi = psi.huber, maxit = 200, acc = 1e-10)
direct <- loess(dist ~ speed, modern, control = loess.control(surface = "direct"))
iris_local <- loess(Petal.Width ~ Petal.Length + Sepal.Length, iris, normalize = FALSE,
                    control = loess.control(surface = "direct"))
# A bootstrap sample of cars, and a curve with more values than knots.
drawn <- (7 * (0:50)^2 + 3) %% 51 + 1
copies <- modern[drawn, ]
x <- (1:300 * 0.6180339887498949) %% 1 * 6
y <- sin(x) + (7919 * (1:300)^2) %% 101 / 101 - 0.5
beyond <- c(-5, 0, 4.5, 12, 19.25, 27, 40)
spline <- function(name, fit, where) {
  cat('"', name, '": {"lambda": ', formatC(fit$lambda, digits = 15, format = "g"),
      ', "df": ', formatC(fit$df, digits = 15, format = "g"),
      ', "criterion": ', formatC(fit$cv.crit, digits = 15, format = "g"),
      ', "at": ', number(where), ', "fit": ', number(predict(fit, where)$y), "},\n", sep = "")
}
machine <- svm(dist ~ speed, modern)
cat("{\n")
cat('"_how": "', R.version.string, ", MASS ", as.character(packageVersion("MASS")), ", e1071 ",
    as.character(packageVersion("e1071")), '",\n', sep = "")
cat('"speed": ', number(modern$speed), ',\n"dist": ', number(modern$dist), ",\n", sep = "")
cat('"at": ', number(at$speed), ",\n", sep = "")
cat('"drawn": ', number(drawn - 1), ",\n", sep = "")
cat('"lm": ', number(predict(lm(dist ~ speed, modern), at)), ",\n", sep = "")
cat('"rlm": ', number(coef(huber)), ",\n", sep = "")
cat('"rlm_scale": ', number(huber$s), ",\n", sep = "")
cat('"svm": ', number(predict(machine, at)), ",\n", sep = "")
cat('"loess": ', number(predict(direct, at)), ",\n", sep = "")
cat('"loess2": ', number(predict(iris_local)[1:10]), ",\n", sep = "")
spline("spline", smooth.spline(modern$speed, modern$dist), beyond)
spline("spline_copies", smooth.spline(copies$speed, copies$dist), beyond)
spline("spline_many", smooth.spline(x, y), c(-1, 0.5, 2.25, 3, 5.5, 7))
cat('"x": ', number(x), ',\n"y": ', number(y), "\n", sep = "")
cat("}\n")
