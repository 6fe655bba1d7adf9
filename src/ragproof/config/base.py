"""What all models of the configuration share."""

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError


class Model(BaseModel):
    """Strict: no unknown key, no conversion, no infinite number, no change once made."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def problem(message: str) -> PydanticCustomError:
    """A finding of a validator, in our own words."""
    return PydanticCustomError("ragproof", "{message}", {"message": message})
