"""BERTopic with Kostra's clusters, if it is installed."""

import subprocess
import sys

import pytest

pytest.importorskip("bertopic", exc_type=ImportError)

PROGRAM = """
import sys

import numpy as np

import kostra.hdbscan

sys.modules["hdbscan"] = kostra.hdbscan
from bertopic import BERTopic
from bertopic.backend import BaseEmbedder
from bertopic.dimensionality import BaseDimensionalityReduction

random = np.random.default_rng(0)
words = [["cat", "dog", "fur"], ["road", "wheel", "fuel"], ["oven", "flour", "yeast"]]
documents = [" ".join(random.choice(few, 8)) for few in words for _ in range(60)]
centers = random.normal(size=(3, 5)) * 5
vectors = np.repeat(centers, 60, axis=0) + random.normal(size=(180, 5)) * 0.4
model = BERTopic(
    hdbscan_model=kostra.hdbscan.HDBSCAN(15, prediction_data=True),
    umap_model=BaseDimensionalityReduction(),
    embedding_model=BaseEmbedder(),
    calculate_probabilities=True,
)
topics, probabilities = model.fit_transform(documents, vectors)
assert probabilities.shape == (180, 3)
groups = np.array(topics).reshape(3, 60)
assert all(len(set(group)) == 1 for group in groups) and len(set(topics)) == 3
again, shares = model.transform(documents[::7], vectors[::7])
assert list(again) == topics[::7] and shares.shape == (26, 3)
assert (np.asarray(shares).argmax(axis=1) == again).all()
"""


def test_topics_and_those_of_new_documents_are_found():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
