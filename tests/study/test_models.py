"""Every model of the study builds, fits on what the study gives it, and searches what the paper says."""

import sys

import numpy as np
import pandas as pd
import pytest

from tabcast.models import AdaptedClassifier
from tabcast.study.models import MODELS, Space, _members

pytest.importorskip("optuna")
pytest.importorskip("xgboost")
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

NETS = ["ft_transformer", "mlp", "scarf", "subtab", "switchtab", "vime"]
FAST = {"epochs": 2, "pretrain_epochs": 2}  # networks are tested in tests/models/neural; here only that they fit in
AVAILABLE = [name for name, model in MODELS.items() if model.unavailable is None]
VARIED = [name for name in AVAILABLE if MODELS[name].vary is not None]
SANE = [name for name in AVAILABLE if name not in NETS]


def end_of(distribution, end):
    """The lowest or the highest value."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[-end]
    return (distribution.low, distribution.high)[end]


def make_rows(n, seed, *, native):
    """Rows as the study's preprocessings give them: numbers only, or categories and missing cells as they are."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n))
    kind = random.integers(0, 3, n)
    y = (a + (kind == 1) + 0.3 * random.normal(size=n) > 0.4).astype(int)
    if not native:
        return pd.DataFrame({"a": a, "b": b, "kind": kind.astype(float)}), y
    kinds = pd.Categorical.from_codes(kind, categories=["car", "bus", "train"])
    frame = pd.DataFrame({"a": a, "b": np.where(random.random(n) < 0.2, np.nan, b), "kind": kinds, "empty": np.nan})
    frame.loc[random.random(n) < 0.1, "kind"] = np.nan
    return frame, y


def fit(estimator, X, y):
    """Fit as the study does, which encodes around a classifier what it cannot take."""
    return AdaptedClassifier(estimator).fit(X, y)


class TestCatalog:
    def test_names(self):
        assert set(MODELS) == {
            *("xgboost", "sane_xgboost", "hist_gradient_boosting", "random_forest", "logistic_regression"),
            *("ft_transformer", "mlp", "vime", "subtab", "scarf", "switchtab"),
        }
        assert all(model.name == name for name, model in MODELS.items())
        assert len({model.label for model in MODELS.values()}) == len(MODELS)

    def test_unknown_tuning(self):
        match = r"Unknown tuning of model 'xgboost': 'papr'\. Choices: paper, sane\. Did you mean 'paper'\?"
        with pytest.raises(ValueError, match=match):
            MODELS["xgboost"].space("papr")

    def test_networks_are_skipped_only_without_torch(self, monkeypatch):
        assert [name for name, model in MODELS.items() if model.preprocessing == "native"] == NETS
        assert {MODELS[name].unavailable for name in NETS} <= {None, _members.MISSING}
        monkeypatch.setattr(_members, "find_spec", lambda name: None)
        assert _members.network("mlp").unavailable == "torch is not installed; pip install 'tabcast[nn]'"


@pytest.mark.parametrize("name", SANE)
class TestBuild:
    @pytest.mark.parametrize("native", [False, True], ids=["paper", "native"])
    def test_learns_from_both_preprocessings(self, name, native):
        """Few labeled rows, one level unseen among them; still better than the larger class, which has 60%."""
        X, y = make_rows(700, 0, native=native)
        labeled = np.flatnonzero(X["kind"] != ("train" if native else 2))[:60]
        model = fit(MODELS[name].build({}, 0), X.iloc[labeled], y[labeled])
        proba = model.predict_proba(X[300:])
        assert proba.shape == (400, 2)
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-5)
        assert np.mean(model.predict(X[300:]) == y[300:]) > 0.7

    def test_same_seed_same_fit(self, name):
        X, y = make_rows(80, 0, native=True)
        first, second = (fit(MODELS[name].build({}, 5), X, y).predict_proba(X) for _ in range(2))
        np.testing.assert_array_equal(first, second)

    def test_every_corner_of_every_space(self, name):
        """Parameters have the names and types that the classifier knows."""
        X, y = make_rows(60, 0, native=False)
        for tuning in MODELS[name].spaces:
            space = MODELS[name].space(tuning, max_trees=60)
            ends = [{key: end_of(one, end) for key, one in space.distributions.items()} for end in (0, 1)]
            for params in [*ends, *([space.start] if space.start else [])]:
                model = MODELS[name].build(params, 0)
                known = {key.rsplit("__", 1)[-1]: value for key, value in model.get_params().items()}
                assert {key: known[key] for key in params} == params
                assert model.fit(X, y).predict_proba(X).shape == (60, 2)

    def test_start_is_the_untuned_model(self, name):
        if "sane" not in MODELS[name].spaces:
            assert name == "sane_xgboost"  # it is what a sane search would start from, and is not searched
            return
        start = MODELS[name].space("sane").start
        X, y = make_rows(80, 0, native=True)
        untuned, tuned = (fit(MODELS[name].build(params, 0), X, y).predict_proba(X) for params in ({}, start))
        np.testing.assert_allclose(tuned, untuned, rtol=1e-6)

    def test_one_thread_and_seed(self, name):
        params = MODELS[name].build({}, 11).get_params()
        n_jobs = [value for key, value in params.items() if key.endswith("n_jobs")]
        assert set(n_jobs) <= {1, None}
        assert 11 in [value for key, value in params.items() if key.endswith("random_state")]


SLOW = {"ft_transformer": pytest.mark.slow}  # its largest network takes seconds


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in AVAILABLE if name in NETS])
class TestNetworks:
    def test_both_ends_of_the_capped_space_fit(self, name):
        """Categories and missing cells reach the network, and parameters have the names that it knows."""
        X, y = make_rows(40, 0, native=True)
        space = MODELS[name].space("paper", caps={"num_attn_blocks": 2, "emb_dim": 32, "encoder_head_dim": 16})
        for end in (0, 1):
            params = {key: end_of(one, end) for key, one in space.distributions.items()}
            model = MODELS[name].build({**params, **MODELS[name].capped_sizes(FAST)}, 7)
            assert model.get_params().items() >= {**params, "random_state": 7, "epochs": 2}.items()
            model = fit(model, X, y).estimator_
            assert model.predict_proba(X).shape == (40, 2)
            assert [column.name for column in model.encoder_.columns_.categorical] == ["kind"]

    def test_sizes_are_the_defaults(self, name):
        params = MODELS[name].build({}, 0).get_params()
        assert MODELS[name].sizes == {key: params[key] for key in FAST if key in params}


@pytest.mark.parametrize("name", [name for name in VARIED if name in (*SANE, "mlp")])
def test_vary(name):
    """Another seed is another fit, the same one is not; the estimator itself stays as it was."""
    X, y = make_rows(200, 0, native=True)
    estimator = MODELS[name].build({}, 0)
    before = repr(estimator.get_params())
    fits = [fit(MODELS[name].vary(estimator, seed), X, y).predict_proba(X) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.abs(fits[0] - fits[2]).max() > 0.01
    assert repr(estimator.get_params()) == before


def test_vary_keeps_a_tuned_share_of_rows():
    model = MODELS["xgboost"]
    assert model.vary(model.build({"subsample": 0.6}, 0), 1).subsample == 0.6
    assert model.vary(model.build({}, 0), 1).subsample == 0.8
    assert model.vary(model.build({"subsample": 1}, 0), 1).subsample == 0.8


class TestXGBoost:
    def test_without_the_package(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "xgboost", None)
        with pytest.raises(ImportError, match=r"XGBoost is needed for model 'xgboost'.*'tabcast\[xgboost\]'"):
            MODELS["xgboost"].build({}, 0)

    def test_ends_of_the_paper_space(self):
        """Learning rate 0 learns nothing; `scale_pos_weight` acts on two classes, and is ignored for more."""
        build = MODELS["xgboost"].build
        X, y = make_rows(200, 0, native=False)
        flat = build({"learning_rate": 0.0, "n_estimators": 20}, 0).fit(X, y).predict_proba(X)
        assert np.ptp(flat[:, 1]) < 1e-6
        y3 = np.where(X["b"] > 0.5, 2, y)
        for target, changes in [(y, True), (y3, False)]:
            plain, weighted = (
                build({"scale_pos_weight": weight, "n_estimators": 20}, 0).fit(X, target).predict_proba(X)
                for weight in (1, 100)
            )
            assert (not np.array_equal(plain, weighted)) == changes


def test_paper_spaces():
    """The appendix tables of the paper, once more, as written there; networks have a class weight besides."""
    schedule = "learning_rate 0.0001..0.05, scheduler_gamma 0.1..0.95, scheduler_step_size int 10..100"
    expected = {
        "xgboost": "max_leaves int 300..4000, n_estimators int 10..3000, learning_rate 0..1, max_depth int 3..20, "
        "scale_pos_weight int 1..100",
        "ft_transformer": "input_embed_dim 16|24|32|48, embedding_dropout 0.05..0.3, share_embedding True|False, "
        "num_heads 1|2|4|8, num_attn_blocks int 2..10, transformer_activation GEGLU|ReGLU|SwiGLU, "
        "use_batch_norm True|False, batch_norm_continuous_input True|False, " + schedule,
        "mlp": "embedding_dropout 0..0.2, layers 128-64-32|256-128-64|128-64-32-16|256-128-64-32, "
        "activation ReLU|LeakyReLU, " + schedule,
        "vime": "predictor_hidden_dim int 16..512, p_m 0.1..0.9, alpha_1 0.1..5, alpha_2 0.1..5, beta 0.1..10, "
        "K int 2..20, " + schedule,
        "subtab": "emb_dim int 4..1024, tau 0.05..0.15, use_cosine_similarity True|False, use_contrastive True|False, "
        "use_distance True|False, n_subsets int 2..7, overlap_ratio 0..1, mask_ratio 0.1..0.3, noise_level 0.5..2, "
        "noise_type Swap|Gaussian|Zero_Out, " + schedule,
        "scarf": "emb_dim int 16..512, encoder_depth int 2..6, head_depth int 1..3, corruption_rate 0..0.7, "
        "dropout_rate 0.05..0.3, " + schedule,
        "switchtab": "encoder_head_dim int 16..256, encoder_depth int 1..4, n_head int 1..4, ffn_factor int 1..3, "
        "dropout_rate 0.05..0.3, learning_rate 0.0001..0.05, weight_decay 1e-05..0.0005",
    }
    spaces = {name: model.space("paper") for name, model in MODELS.items() if "paper" in model.spaces}
    ours = ", class_weight None|balanced"
    assert {name: describe(space).removesuffix(ours) for name, space in spaces.items()} == expected
    assert [name for name, space in spaces.items() if not describe(space).endswith(ours)] == ["xgboost"]
    assert all(space.start is None for space in spaces.values())


def describe(space):
    words = []
    for name, one in space.distributions.items():
        if isinstance(one, CategoricalDistribution):
            words.append(f"{name} {'|'.join(map(str, one.choices))}")
        else:
            assert not one.log
            words.append(f"{name} {'int ' if isinstance(one, IntDistribution) else ''}{one.low:g}..{one.high:g}")
    return ", ".join(words)


class TestSpace:
    distributions = {"n": IntDistribution(10, 3000), "rate": FloatDistribution(0.01, 1, log=True)}
    space = Space(distributions, start={"n": 100, "rate": 0.1})

    def test_capped(self):
        capped = self.space.capped("n", 40)
        assert capped.distributions == {**self.distributions, "n": IntDistribution(10, 40)}
        assert capped.start == {"n": 40, "rate": 0.1}
        assert self.space.distributions["n"] == IntDistribution(10, 3000)
        assert self.space.start["n"] == 100
        assert self.space.capped("n", 9999) == self.space

    def test_cap_of_a_model(self):
        paper = MODELS["xgboost"].space("paper", max_trees=200)
        assert paper.distributions["n_estimators"] == IntDistribution(10, 200)
        assert MODELS["hist_gradient_boosting"].space("sane", max_trees=50).distributions["max_iter"].high == 50
        regression = MODELS["logistic_regression"]
        assert regression.space("sane", max_trees=50) == regression.space("sane")

    def test_a_cap_below_the_lower_bound(self):
        with pytest.raises(ValueError, match=r"A cap on `n` must be at least 10, where its range starts; got 5\."):
            self.space.capped("n", 5)

    def test_caps_of_other_numbers(self):
        space = Space({**self.distributions, "width": CategoricalDistribution((16, 24, 32, 48))})
        assert space.capped("rate", 0.5).distributions["rate"] == FloatDistribution(0.01, 0.5, log=True)
        assert space.capped("width", 30).distributions["width"] == CategoricalDistribution((16, 24))
        with pytest.raises(ValueError, match=r"A cap on `width` must be at least 16"):
            space.capped("width", 8)

    def test_what_cannot_be_capped(self):
        """Text and truth values."""
        with pytest.raises(ValueError, match=r"Unknown parameter to cap of model 'mlp': 'layers'\. Choices: "):
            MODELS["mlp"].check_caps({"layers": 3})
        with pytest.raises(ValueError, match=r"Unknown parameter to cap of model 'ft_transformer': 'use_batch_norm'"):
            MODELS["ft_transformer"].check_caps({"use_batch_norm": 1})
        MODELS["ft_transformer"].check_caps({"num_attn_blocks": 4, "input_embed_dim": 24, "epochs": 10})

    @pytest.mark.parametrize("start", [{"n": 10}, {"n": 9, "rate": 0.1}, {"n": 10, "rate": 0.1, "more": 1}])
    def test_bad_starts(self, start):
        with pytest.raises(ValueError, match=r"n|rate"):
            Space(self.distributions, start=start)
