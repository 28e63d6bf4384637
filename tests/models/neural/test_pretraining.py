"""Learning without labels first."""

import numpy as np
import pytest
from sklearn.base import clone

pytest.importorskip("torch")


from tests.models.neural.nets import SELF_SUPERVISED, make_table

pytestmark = pytest.mark.parametrize("net", SELF_SUPERVISED.values(), ids=SELF_SUPERVISED)


def test_in_one_call_or_in_two(net):
    """fit(X, y, X_unlabeled=U) equals pretrain(X and U).fit(X, y), bit by bit, also for clones."""
    everything, classes = make_table(60)
    X, y, unlabeled = everything[:25], classes[:25], everything[25:]
    expected = clone(net).fit(X, y, X_unlabeled=unlabeled).predict_proba(everything)
    pretrained = clone(net).pretrain(everything)
    for model in (pretrained, clone(pretrained)):
        np.testing.assert_array_equal(model.fit(X, y).predict_proba(everything), expected)
    alone = clone(net).fit(X, y).predict_proba(everything)
    assert not np.allclose(alone, expected)
    np.testing.assert_array_equal(clone(net).pretrain(X).fit(X, y).predict_proba(everything), alone)


def test_the_labels_do_not_reach_pretraining(net):
    X, y = make_table(30)
    pretrained = clone(net).pretrain(X)
    before = {name: values.copy() for name, values in pretrained.pretrained.weights.items()}
    pretrained.fit(X, y)
    pretrained.fit(X, y[::-1])
    for name, values in pretrained.pretrained.weights.items():
        np.testing.assert_array_equal(values, before[name])


def test_a_copy_is_returned(net):
    X, _ = make_table(20)
    model = clone(net)
    pretrained = model.pretrain(X)
    assert model.pretrained is None
    assert repr(pretrained.pretrained) == "Pretrained(n_rows=20)"
    assert clone(pretrained).pretrained is pretrained.pretrained
    assert not hasattr(pretrained, "classes_")


def test_unlabeled_rows_need_not_be_encoded_again(net):
    """Levels and missing cells that only unlabeled rows have are known afterwards."""
    X, y = make_table(40)
    few = X.assign(city="Ulm", income=1.0)
    model = clone(net).fit(few[:10], y[:10], X_unlabeled=X[10:])
    assert model.encoder_.shape == clone(net).fit(X, y).encoder_.shape


def test_mistakes_are_named(net):
    X, y = make_table(20)
    pretrained = clone(net).pretrain(X)
    with pytest.raises(ValueError, match=r"is pretrained already, so that `X_unlabeled` would have no effect\. Pass"):
        pretrained.fit(X, y, X_unlabeled=X)
    name = pretrained.ARCHITECTURE[0]
    if name != "predictor_hidden_dim":
        with pytest.raises(ValueError, match=rf"`{name}` of {type(net).__name__} is 7, but it was pretrained with "):
            clone(pretrained).set_params(**{name: 7}).fit(X, y)
    with pytest.raises(ValueError, match=r"X must have the 4 columns that were learned; got 3\."):
        clone(pretrained).fit(X.iloc[:, :3], y)
    with pytest.raises(ValueError, match=r"Columns differ between X and X_unlabeled: missing 'code'\."):
        clone(net).fit(X, y, X_unlabeled=X.drop(columns="code"))
    with pytest.raises(ValueError, match=r"^`pretrain_epochs` of \w+ must be an integer of at least 1; got 0\.$"):
        clone(net).set_params(pretrain_epochs=0).pretrain(X)
