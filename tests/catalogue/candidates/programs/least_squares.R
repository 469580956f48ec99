# Least squares for classification in base R: one linear fit a class, the largest wins.
args <- commandArgs(trailingOnly = TRUE)
learn <- read.csv(args[1], stringsAsFactors = FALSE)
test <- read.csv(args[2], stringsAsFactors = FALSE)
set.seed(as.integer(args[4]))
classes <- sort(unique(learn$response))
inputs <- setdiff(names(learn), "response")
values <- sapply(classes, function(class) {
  data <- learn[inputs]
  data$response <- as.numeric(learn$response == class)
  predict(lm(response ~ ., data), test)
})
predictions <- data.frame(prediction = classes[max.col(values, "first")])
write.csv(predictions, args[3], row.names = FALSE)
