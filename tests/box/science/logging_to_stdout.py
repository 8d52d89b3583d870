"""Loggers, levels, filters and formats on standard output."""
import logging
import logging.config
import logging.handlers
import sys

log = logging.getLogger("shop")
log.setLevel(logging.DEBUG)
log.propagate = False
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(levelname)-8s %(name)s %(funcName)s: %(message)s"))
log.addHandler(handler)


def sell(item, count=1):
    log.info("sold %d of %s", count, item)
    if count > 10:
        log.warning("many: %(count)d", {"count": count})
    try:
        return 100 // (count - 3)
    except ZeroDivisionError:
        log.error("bad count", exc_info=False)


sell("pen")
sell("book", 12)
sell("lamp", 3)
child = logging.getLogger("shop.stock")
child.debug("from a child")
handler.setLevel(logging.WARNING)
child.info("not seen")
handler.addFilter(lambda record: "secret" not in record.getMessage())
child.critical("a secret")
child.critical("an open word")
print(child.getEffectiveLevel(), log.isEnabledFor(5), logging.getLevelName(35))
memory = logging.handlers.MemoryHandler(100, target=handler)
other = logging.getLogger("buffered")
other.propagate = False
other.addHandler(memory)
other.warning("first")
print("before flush")
memory.flush()
logging.config.dictConfig({
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"f": {"format": "{message} [{levelname}]", "style": "{"}},
    "handlers": {"file": {"class": "logging.FileHandler", "filename": "run.log", "formatter": "f"}},
    "loggers": {"file": {"handlers": ["file"], "level": "INFO", "propagate": False}},
})
logging.getLogger("file").info("into the file")
logging.shutdown()
print(open("run.log").read().strip())
