#!/bin/sh
# Writes the logs of this folder anew, with texlive-latex-recommended.
set -u
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
run() {  # name, engine; the document is read from standard input
    cat > "$1.tex"
    for n in 1 2; do "$2" -interaction=nonstopmode "$1.tex" > /dev/null; done
    sed -e "s#$work/##g" "$1.log" > "$folder/$1.log"
}
run quiet pdflatex <<'X'
\documentclass{article}
\begin{document}\section{A}\label{a} See \ref{a}.\end{document}
X
run lost pdflatex <<'X'
\documentclass{article}
\begin{document}
See \ref{fig-x}, \ref{fig-x} and \cite{nobody}. \section{A}\label{a}\section{B}\label{a}
\begin{figure}\rule{1cm}{30cm}\caption{Long.}\end{figure}
\noindent\rule{20cm}{1pt}
\end{document}
X
run package pdflatex <<'X'
\documentclass{article}
\usepackage{no-such-package}
\begin{document}A\end{document}
X
run command pdflatex <<'X'
\documentclass{article}
\begin{document}
\nosuchcommand
\end{document}
X
run math pdflatex <<'X'
\documentclass{article}
\begin{document}
a_b
\end{document}
X
run columns pdflatex <<'X'
\documentclass[twocolumn]{article}
\usepackage{longtable}
\begin{document}
A
\begin{longtable}{l}b\end{longtable}
\end{document}
X
rm -r "$work"
