"""A plugin for pytest: what BERTopic's tests need, with `kostra.hdbscan` as the package hdbscan.

The documents and the embeddings of BERTopic's own fixtures are downloaded. Here, documents are
words of one of several topics, and embeddings are sums of a random vector for each word. Modules
take the places of sentence_transformers and of torch, which only stores arrays.
"""

import importlib.machinery
import pickle
import re
import sys
import types
import zlib
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

import kostra.cluster
import kostra.hdbscan

for name in [name for name in sys.modules if name.split(".")[:2] == ["kostra", "hdbscan"]]:
    sys.modules[name.removeprefix("kostra.")] = sys.modules[name]

TOPICS = ["religion", "cars", "electronics", *(f"subject{topic}" for topic in range(12))]
calls = {}


def counted(owner, name):
    """Replaces a function by one that counts its calls."""
    function = getattr(owner, name)
    calls[name] = 0

    def call(*arguments, **options):
        calls[name] += 1
        return function(*arguments, **options)

    setattr(owner, name, call)


counted(kostra.cluster.HDBSCAN, "fit")
for name in ("approximate_predict", "membership_vector", "all_points_membership_vectors"):
    counted(kostra.hdbscan, name)


class SentenceTransformer:
    """Embeds a text by the sum of its words' vectors."""

    def __init__(self, *arguments, **options):
        pass

    def encode(self, documents, **options):
        vectors = [
            sum(np.random.default_rng(zlib.crc32(word.encode())).normal(size=64) for word in words)
            for words in (re.findall(r"\w+", text.lower()) or [""] for text in documents)
        ]
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Tensor(np.ndarray):
    """What torch loads."""

    def numpy(self):
        return np.asarray(self)


def module(name, **members):
    made = types.ModuleType(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(made).update(members)
    sys.modules[name] = made


module("sentence_transformers", SentenceTransformer=SentenceTransformer, __path__=[])
module("sentence_transformers.models", StaticEmbedding=type("StaticEmbedding", (), {}))
module(
    "torch",
    Tensor=Tensor,
    from_numpy=np.asarray,
    save=lambda arrays, path: Path(path).write_bytes(pickle.dumps(arrays)),
    load=lambda path, **options: {
        name: array.view(Tensor) for name, array in pickle.loads(Path(path).read_bytes()).items()
    },
)


@pytest.fixture(scope="session")
def documents():
    random = np.random.default_rng(0)
    found = []
    for _ in range(600):
        topic = random.choice(TOPICS)
        words = random.choice([f"{topic}word{word}" for word in range(25)], 12).tolist()
        words += [topic, *(f"common{word}" for word in random.integers(200, size=6))]
        found.append(" ".join(random.permutation(words)))
    # Documents of no topic.
    for _ in range(60):
        found.append(" ".join(f"rare{word}" for word in random.integers(2000, size=20)))
    return found


@pytest.fixture(scope="session")
def embedding_model():
    return SentenceTransformer()


@pytest.fixture(scope="session")
def topic_model(documents, embedding_model):
    """Makes a fitted model with some parameters."""
    from bertopic import BERTopic

    def fitted(least, **options):
        options |= {"embedding_model": embedding_model, "calculate_probabilities": True}
        model = BERTopic(**options)
        model.hdbscan_model.min_cluster_size = least
        return model.fit(documents, embedding_model.encode(documents))

    return fitted


@pytest.fixture(scope="session")
def base_topic_model(topic_model):
    return topic_model(3)


@pytest.fixture(scope="session")
def zeroshot_topic_model(topic_model):
    return topic_model(2, zeroshot_topic_list=TOPICS[:3], zeroshot_min_similarity=0.3)


@pytest.fixture(scope="session")
def custom_topic_model(topic_model):
    clusters = kostra.hdbscan.HDBSCAN(3, cluster_selection_method="leaf", prediction_data=True)
    return topic_model(4, hdbscan_model=clusters)


@pytest.fixture(scope="session")
def representation_topic_model(topic_model):
    from bertopic.representation import KeyBERTInspired, MaximalMarginalRelevance

    several = [KeyBERTInspired(top_n_words=30), MaximalMarginalRelevance()]
    return topic_model(3, representation_model={"Main": KeyBERTInspired(), "MMR": several})


@pytest.fixture(scope="session")
def reduced_topic_model(custom_topic_model, documents):
    return deepcopy(custom_topic_model).reduce_topics(documents, nr_topics="auto")


@pytest.fixture(scope="session")
def merged_topic_model(custom_topic_model, documents):
    model = deepcopy(custom_topic_model)
    for topics in ([[1, 2], [3, 4]], [[5, 6, 7]]):
        model.merge_topics(documents, topics)
    return model


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"calls of kostra.hdbscan: {calls}")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and not all(calls.values()):
        session.exitstatus = 1  # these tests have tested nothing of Kostra's
