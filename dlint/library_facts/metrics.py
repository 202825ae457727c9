"""Metrics of scikit-learn: which of their arguments have an entry for each sample."""

from __future__ import annotations

SAMPLES_FIRST = 2
"""How many arguments by position speak of samples: what is true, and what was found
(scikit-learn 1.7.2, `sklearn/metrics/_classification.py`, `_regression.py`, `_ranking.py`)."""

OF_SAMPLES = frozenset(
    {"y_true", "y_pred", "y_score", "y_prob", "y_proba", "probas_pred", "pred_decision"}
    | {"labels_true", "labels_pred", "sample_weight"}
)
"""The same by keyword. `labels`, `target_names` and `display_labels` name classes."""
