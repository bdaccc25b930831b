# What one does here, by name; `make` alone lists it. The work is in .ci, one short script each.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help packages python demo screenshots test soak load check format tidy docs api fuzz bench size dist dist-check clean

SECONDS = 60
KILLS = 300
ROUNDS = 200
SCHEDULES = 200000
ARGS =

help: ## lists these targets
	@awk -F ' *## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "make %-11s %s\n", $$1, $$2 }' Makefile

packages: ## installs the Debian packages that a build links, if they are missing
	@.ci/packages

python: ## installs what tests run of Python's: clients that send pushes, a real privacyIDEA server
	@.ci/packages tests
	@.ci/python

demo: packages ## shows every vendor's flows against the simulators (ARGS=…)
	@.ci/demo $(ARGS)

screenshots: ## looks at each page of the console, three widths, light and dark, and keeps pictures
	@.ci/packages tests
	@swift test --package-path Examples --disable-xctest --filter ConsoleLooksTests
	@echo "They are in Examples/.build/debug/screenshots."

test: ## runs the tests of both packages, a browser's too; fails below 90 % line coverage
	@.ci/packages tests
	@.ci/test

soak: packages ## kills the SDK at random instants (KILLS=300 ROUNDS=200), simulates (SCHEDULES=200000)
	@swift run --package-path Examples push-lab soak --kills $(KILLS) --rounds $(ROUNDS) $(ARGS)
	@PUSH_AUTH_SCHEDULES=$(SCHEDULES) swift test --disable-xctest --filter PushSimulation
	@.ci/python privacyidea-3.13
	@PUSH_AUTH_PRIVACYIDEA=3.13 swift test --package-path Examples --disable-xctest \
		--filter PrivacyIDEATests

check: packages ## runs every other check of the gate, a short fuzz run included
	@.ci/check

format: ## lints the Swift files
	@.ci/format

tidy: packages ## tests the house: imports, habits, quotes and links of pages, tests they cite
	@swift test --disable-xctest --filter TidyTests

docs: packages ## builds the documentation into .build/docs
	@.ci/docs

api: packages ## rewrites docs/api, the public API, one declaration per line
	@.ci/api --write

fuzz: packages ## runs each fuzz target (SECONDS=60)
	@.ci/fuzz $(SECONDS)

bench: packages ## measures (ARGS=… picks benchmarks by name; --json; "fleet" enrolls 10,000 accounts)
	@PUSH_AUTH_INNER=1 swift run -c release --package-path Tests/Benchmarks push-bench $(ARGS)

size: packages ## measures what each product adds to an app, and what a push takes (ARGS=--write keeps it)
	@.ci/sizes $(ARGS)

load: packages ## sends 2,000 pushes to a release build of pushauth, beside its store's and libcurl's own pace
	@swift build -c release --package-path Examples --product pushauth
	@swift run -c release --package-path Examples push-lab load $(ARGS)

dist: packages ## builds the programs for release, and packs them for Debian, into .build/dist
	@.ci/dist

dist-check: ## builds them in two clones, compares the bytes, and installs them in a fresh Debian (as root)
	@.ci/dist-check

clean: ## removes what was built
	@rm -rf .build Examples/.build Examples/.build-* Tests/Fuzzing/.build Tests/Benchmarks/.build Tests/Sizes/.build
