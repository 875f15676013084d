# Short names for the scripts of the project; each script says what it does and requires.
#
#   make check                  make test                make bench
#   make check CRATE=merger     make test ARGS=--long    make bench ARGS=top
#   make fuzz TARGET=journal
.PHONY: check test page bench fuzz

check:
	tests/check $(CRATE)

test:
	tests/run $(ARGS)

# The pages, in a browser; ARGS=scenarios::rows_move for one test.
page:
	tests/run --test e2e page::$(ARGS)

bench:
	benches/run $(ARGS)

fuzz:
	fuzz/run $(TARGET) $(ARGS)
