"""Tables as text, to the letter."""

import csv
import io

import pandas as pd
import pytest

from tabcast.study.analysis import comparison_table, to_csv, to_latex, to_markdown
from tabcast.study.analysis.rendering import escape_latex, escape_markdown
from tabcast.study.analysis.tables import Cell, Table

LABELS = {
    "method": {"supervised": "w/o ST", "baseline": "Baseline"},
    "model": {"xgboost": "XGB", "mlp": "MLP"},
    "dataset": {"gusto": "gusto (stand-in)"},
}

MARKDOWN = """\
**Small**

| strategy | method   | gusto (stand-in) / XGB | cmc / XGB | Avg rank (sd) |
|:---------|:---------|-----------------------:|----------:|--------------:|
|          | w/o ST   |                   0.25 |      0.40 |             — |
| FPL      | Baseline |            <u>0.30</u> |         — |             — |
|          | my\\_cast |               **0.32** |      0.44 |             — |

1 of 6 trials is missing, for example cmc/xgboost/baseline/threshold/seed0.

Average ranks need a score in every column of a block; 1 cells are missing."""

LATEX = r"""\begin{table}
\centering
\caption{Small}
\begin{tabular}{llrrr}
\toprule
 &  & gusto (stand-in) & cmc & Avg rank (sd) \\
strategy & method & XGB & XGB &  \\
\midrule
 & w/o ST & 0.25 & 0.40 & --- \\
\midrule
FPL & Baseline & \underline{0.30} & --- & --- \\
 & my\_cast & \textbf{0.32} & 0.44 & --- \\
\bottomrule
\end{tabular}

{\footnotesize 1 of 6 trials is missing, for example cmc/xgboost/baseline/threshold/seed0.}

{\footnotesize Average ranks need a score in every column of a block; 1 cells are missing.}
\end{table}"""

CSV = """\
strategy,method,dataset,model,value,standard_error,se_over,n,mark
,w/o ST,gusto (stand-in),XGB,0.25,,,1,
,w/o ST,cmc,XGB,0.4,,,1,
,w/o ST,Avg rank (sd),,,,,0,
FPL,Baseline,gusto (stand-in),XGB,0.3,,,1,second
FPL,Baseline,cmc,XGB,,,,0,
FPL,Baseline,Avg rank (sd),,,,,0,
FPL,my_cast,gusto (stand-in),XGB,0.32,,,1,best
FPL,my_cast,cmc,XGB,0.44,,,1,
FPL,my_cast,Avg rank (sd),,,,,0,
"""


@pytest.fixture
def small():
    methods = [("supervised", "none"), ("baseline", "threshold"), ("my_cast", "threshold")]
    scores = {"gusto": [0.25, 0.30, 0.32], "cmc": [0.40, None, 0.44]}
    results = pd.DataFrame(
        [
            {
                "dataset": dataset,
                "model": "xgboost",
                "method": method,
                "strategy": strategy,
                "seed": 0,
                "status": "missing" if score is None else "done",
                "score": score,
            }
            for dataset, column in scores.items()
            for (method, strategy), score in zip(methods, column, strict=True)
        ]
    )
    return comparison_table(results, ranks=True, digits=2, title="Small")


def test_markdown(small):
    assert to_markdown(small, labels=LABELS) == MARKDOWN


def test_latex(small):
    assert to_latex(small, labels=LABELS) == LATEX


def test_csv(small):
    assert to_csv(small, labels=LABELS) == CSV


def test_markdown_lines_are_equally_wide(results):
    lines = to_markdown(comparison_table(results, ranks=True), standard_errors=True).split("\n")
    table = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in table}) == 1
    assert len(table) == 2 + 7


def test_standard_errors_are_explained(results):
    table = comparison_table(results)
    first = table.cells[1][0]
    text = to_markdown(table, standard_errors=True)
    assert f"{first.value:.4f} ± {first.standard_error:.4f}" in text
    assert text.endswith(
        "Numbers after ± are standard errors over seeds: "
        "the standard deviation of their means divided by the square root of their number."
    )
    latex = to_latex(table, standard_errors=True)
    assert rf"{first.value:.4f} $\pm$ {first.standard_error:.4f}" in latex
    assert "±" not in to_markdown(table)


def test_errors_over_folds_are_called_too_small(results):
    text = to_markdown(comparison_table(results[results["seed"] == 0]), standard_errors=True)
    assert "standard errors over folds (one seed; its folds share rows, so these are too small): the stand" in text


def test_ranks_and_spanning_heads_in_latex(results):
    lines = to_latex(comparison_table(results, ranks=True), labels=LABELS).split("\n")
    assert lines[0] == r"\begin{tabular}{llrrrrr}"
    assert lines[2] == r" &  & \multicolumn{2}{c}{diabetes} & \multicolumn{2}{c}{cmc} & Avg rank (sd) \\"
    assert lines[3] == r"\cmidrule(lr){3-4}\cmidrule(lr){5-6}"
    assert lines[4] == r"strategy & method & XGB & MLP & XGB & MLP &  \\"
    assert lines.count(r"\midrule") == 3
    body = [line for line in lines if line.endswith(r"\\")]
    assert {line.count(" & ") for line in body[1:]} == {6}


def test_strange_names():
    strange = r"a|b_c*d<e>\f & 5 % $x$ #1 {y} ~z^2"
    table = Table(
        ("my_level",), ((strange,),), ("dataset",), ((strange,),), ((Cell(0.5),),), notes=("x|y_z",), digits=1
    )
    markdown = to_markdown(table).split("\n")
    assert markdown[0].startswith("| my level ")
    for line in markdown[:3]:
        assert line.replace(r"\|", "").count("|") == 3
    assert r"a\|b\_c\*d\<e>\\f & 5 %" in markdown[2]
    assert markdown[-1] == r"x\|y\_z"
    latex = to_latex(table)
    assert r"a|b\_c*d\textless{}e\textgreater{}\textbackslash{}f \& 5 \% \$x\$ \#1 \{y\} " in latex
    assert r"\textasciitilde{}z\textasciicircum{}2" in latex
    assert next(csv.DictReader(io.StringIO(to_csv(table))))["my_level"] == strange


def test_escapes():
    assert escape_markdown("two\nlines `x`") == r"two lines \`x\`"
    assert escape_latex(r"\_") == r"\textbackslash{}\_"
