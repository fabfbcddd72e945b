# The face of scripts/ for people who have make. Nothing needs it.
PREFIX ?= /usr/local
DESTDIR ?=
# Where the programs are that are installed.
PROGRAMS ?= .build/release
bindir = $(DESTDIR)$(PREFIX)/bin
libexecdir = $(DESTDIR)$(PREFIX)/libexec
mandir = $(DESTDIR)$(PREFIX)/share/man
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd

.PHONY: build demo test lint install uninstall attacks imports archives interoperation bench peers residue fuzz \
    model soak booted completions samples docc manual sanitize coverage crash clean

build:
	./scripts/build

demo:
	./scripts/demo

test:
	./scripts/test

lint:
	swift format lint --strict -r Package.swift Sources Tests Examples
	./scripts/check-documentation
	./scripts/check-lessons

# Installs what `make build` has built, so that root needs no toolchain.
install:
	@test -x $(PROGRAMS)/accountd -a -x $(PROGRAMS)/account -a -x $(PROGRAMS)/account-import -a \
	    -x $(PROGRAMS)/account-archive || \
	    { echo "nothing is built yet: run make build first, as yourself" >&2; exit 1; }
	install -d $(bindir) $(libexecdir) $(unitdir)/system $(unitdir)/user $(bashdir) $(zshdir) \
	    $(fishdir) $(mandir)/man1 $(mandir)/man7 $(mandir)/man8
	install -m 755 $(PROGRAMS)/account $(bindir)/account
	install -m 755 $(PROGRAMS)/accountd $(libexecdir)/accountd
	install -m 755 $(PROGRAMS)/account-import $(libexecdir)/account-import
	install -m 755 $(PROGRAMS)/account-archive $(libexecdir)/account-archive
	install -m 755 systemd/accountd-lock $(libexecdir)/accountd-lock
	install -m 644 docs/man/account.1 $(mandir)/man1/account.1
	install -m 644 docs/man/org.accountd.Account.7 docs/man/org.accountd.Keys.7 $(mandir)/man7/
	install -m 644 docs/man/accountd.8 $(mandir)/man8/accountd.8
	umask 022 && $(PROGRAMS)/account completion bash > $(bashdir)/account
	umask 022 && $(PROGRAMS)/account completion zsh > $(zshdir)/_account
	umask 022 && $(PROGRAMS)/account completion fish > $(fishdir)/account.fish
	for kind in system user; do for unit in systemd/$$kind/*; do \
	    sed 's|/usr/libexec/|$(PREFIX)/libexec/|' $$unit > $(unitdir)/$$kind/$${unit##*/}; \
	    chmod 644 $(unitdir)/$$kind/$${unit##*/}; done; done

# What install has brought, and no account: that stays in the state directories.
uninstall:
	rm -f $(bindir)/account $(libexecdir)/accountd $(libexecdir)/accountd-lock \
	    $(libexecdir)/account-import $(libexecdir)/account-archive
	rm -f $(mandir)/man1/account.1 $(mandir)/man7/org.accountd.Account.7 \
		$(mandir)/man7/org.accountd.Keys.7 \
	    $(mandir)/man8/accountd.8
	rm -f $(bashdir)/account $(zshdir)/_account $(fishdir)/account.fish
	rm -f $(unitdir)/system/accountd.service $(unitdir)/system/accountd.socket \
	    $(unitdir)/system/accountd-sleep.service
	rm -f $(unitdir)/user/accountd.service $(unitdir)/user/accountd.socket \
	    $(unitdir)/user/accountd-session.service

attacks:
	Tests/Attacks/attack.py

imports:
	Tests/Import/imports.py

archives:
	Tests/Archives/archives.py

interoperation:
	./scripts/test interoperation

bench:
	./scripts/bench

peers:
	./scripts/peers

sanitize:
	./scripts/sanitize

coverage:
	./scripts/coverage

residue:
	./scripts/residue --patched

booted:
	python3 Tests/Booted/booted.py

# Ten million runs of each parser; FUZZ='--seconds 60 json' for fewer.
fuzz:
	./scripts/fuzz $(FUZZ)

completions:
	python3 Tests/CommandLine/completions.py

# The Swift of the pages and the comments, and the examples.
samples:
	./scripts/samples

# The library's pages, into .build/docc.
docc:
	./scripts/check-docc

manual:
	./scripts/check-manual

model:
	./scripts/model

crash:
	./scripts/crash

soak:
	./scripts/soak

clean:
	rm -rf .build
