"""From the results table to findings: means with standard errors, ranks, tests, controls, tables.

It reads a DataFrame with one row per trial and knows neither the study nor the method that produced it.

    results -> summarize, paired_differences, win_tie_loss -> comparison_table -> to_markdown, to_latex, to_csv
            -> score_matrix -> average_ranks, friedman_test, conover_posthoc, wilcoxon_holm
            -> control_report, alpha_winners
    results + published -> beside_published -> gain_agreement
"""

from tabcast.study.analysis.alpha import AlphaWinners, alpha_winners
from tabcast.study.analysis.beside_published import beside_published, gain_agreement
from tabcast.study.analysis.controls import control_report
from tabcast.study.analysis.names import display_name
from tabcast.study.analysis.ranks import average_ranks, score_matrix
from tabcast.study.analysis.rendering import to_csv, to_latex, to_markdown
from tabcast.study.analysis.significance import (
    FriedmanResult,
    conover_posthoc,
    friedman_test,
    indistinguishable_groups,
    wilcoxon_holm,
)
from tabcast.study.analysis.summary import pair_trials, paired_differences, summarize, win_tie_loss
from tabcast.study.analysis.tables import Cell, Table, comparison_table

__all__ = [
    "AlphaWinners",
    "Cell",
    "FriedmanResult",
    "Table",
    "alpha_winners",
    "average_ranks",
    "beside_published",
    "comparison_table",
    "conover_posthoc",
    "control_report",
    "display_name",
    "friedman_test",
    "gain_agreement",
    "indistinguishable_groups",
    "pair_trials",
    "paired_differences",
    "score_matrix",
    "summarize",
    "to_csv",
    "to_latex",
    "to_markdown",
    "wilcoxon_holm",
    "win_tie_loss",
]
