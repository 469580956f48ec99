#!/bin/sh
# Writes the logs of this folder anew, with texlive-latex-recommended and texlive-luatex.
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
run letters lualatex <<'X'
\documentclass{article}
\usepackage{fontspec}
\begin{document}
A 猫 and a 猫, and א.
\end{document}
X
run unicode pdflatex <<'X'
\documentclass{article}
\begin{document}
A 猫.
\end{document}
X
run floats pdflatex <<'X'
\documentclass{article}
\usepackage{multicol}
\begin{document}
\begin{multicols}{2}
See \ref{fig-a} and \ref{fig-b}.
\begin{figure}A\caption{A.}\label{fig-a}\end{figure}
\begin{figure*}B\caption{B.}\label{fig-b}\end{figure*}
\end{multicols}
\end{document}
X
cp floats.aux "$folder/floats.aux"
run outer pdflatex <<'X'
\documentclass{article}
\begin{document}
\mbox{\vbox{\begin{figure}A\caption{A.}\label{fig-a}\end{figure}}}
\end{document}
X
run widths pdflatex <<'X'
\documentclass{article}
\begin{document}
\noindent\rule{\dimexpr\textwidth+4.9pt}{1pt}

\noindent\rule{\dimexpr\textwidth+5.9pt}{1pt}

\noindent\begin{tabular}{p{3cm}}\hfuzz=0pt meta-llama/Llama-3.1-70B-Instruct-and-more\end{tabular}

\vbox to 10pt{\hbox{A}\hbox{B}\vskip 12pt\hbox{C}}
\end{document}
X
rm -r "$work"
