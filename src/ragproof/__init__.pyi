from ragproof.generate.dataset import DatasetGenerator as DatasetGenerator
from ragproof.generate.dataset import EvalDataset as EvalDataset
from ragproof.generate.dataset import EvalSample as EvalSample
from ragproof.version import __version__ as __version__
