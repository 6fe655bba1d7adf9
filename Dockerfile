# The image of the action. It builds with BuildKit and with the builder before it alike, so it keeps
# to what both know. Layers that seldom change lie below: dependencies, bytecode, ragproof.

FROM python:3.13-slim AS dependencies
RUN python -m venv --without-pip /opt/ragproof
WORKDIR /build
COPY requirements/image.txt requirements/image.txt
# Typings and the sources of extensions serve no program, and of lxml nothing but etree is imported.
# Bytecode is not checked against its source, so it stays valid whatever date a layer gives a file.
RUN python -m pip --python /opt/ragproof/bin/python install --no-cache-dir --no-compile \
      --require-hashes --only-binary :all: -r requirements/image.txt \
 && find /opt/ragproof -name '*.py[ix]' -delete -o -name '*.px[di]' -delete -o -name '*.h' -delete \
 && rm -r /opt/ragproof/lib/python3*/site-packages/lxml/html \
      /opt/ragproof/lib/python3*/site-packages/lxml/isoschematron \
      /opt/ragproof/lib/python3*/site-packages/lxml/objectify.* \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/ragproof/lib

FROM dependencies AS ragproof
COPY requirements/build.txt requirements/build.txt
RUN python -m venv /opt/build \
 && /opt/build/bin/python -m pip install --no-cache-dir --require-hashes --only-binary :all: \
      -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && python -m pip --python /opt/ragproof/bin/python install --no-cache-dir --no-compile --no-deps \
      --no-index --no-warn-script-location --root /out dist/*.whl \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s /out /out/opt/ragproof/lib
COPY entrypoint.py /out/opt/ragproof/entrypoint.py

# The published Python comes without bytecode of its standard library. Each start would compile the
# modules it imports and lose them with its container; what is imported is compiled here instead.
FROM python:3.13-slim AS bytecode
COPY --from=dependencies /opt/ragproof /opt/ragproof
COPY --from=ragproof /out/ /
RUN mkdir /out && touch /tmp/before \
 && /opt/ragproof/bin/python -I -c "from importlib import import_module as load; import pkgutil, ragproof; \
      [load(each.name) for each in pkgutil.walk_packages(ragproof.__path__, 'ragproof.') \
       if not each.name.endswith('__main__')]" \
 && { /opt/ragproof/bin/ragproof demo --out /tmp/demo || test -s /tmp/demo/run.json; } \
 && find /usr -name '*.pyc' -newer /tmp/before -exec cp --parents -t /out {} +

FROM python:3.13-slim
COPY --from=dependencies /opt/ragproof /opt/ragproof
COPY --from=bytecode /out/ /
COPY --from=ragproof /out/ /
LABEL org.opencontainers.image.title="ragproof" \
      org.opencontainers.image.description="A gate for retrieval-augmented generation: a frozen set of cases in, a verdict out." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
# A container action runs as root in the mounted workspace; no user is set, as the runner asks.
WORKDIR /github/workspace
ENTRYPOINT ["/opt/ragproof/bin/python", "-I", "/opt/ragproof/entrypoint.py"]
