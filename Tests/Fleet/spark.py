"""Spark on this computer, as an engine for the questions."""

import contextlib


class Spark:
    name = "Spark"

    def __init__(self, session):
        self.session = session

    @classmethod
    @contextlib.contextmanager
    def running(cls, folder):
        """A session in which the tables of a data set are views."""
        from pyspark.sql import SparkSession
        session = (SparkSession.builder.master("local[2]").appName("herald").config("spark.ui.enabled", "false")
                   .config("spark.ui.showConsoleProgress", "false")
                   .config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "4g").getOrCreate())
        session.sparkContext.setLogLevel("ERROR")
        try:
            for table in ("contacts", "meetings", "near", "directions"):
                session.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)
            session.read.parquet(f"{folder}/readings").createOrReplaceTempView("readings")
            yield cls(session)
        finally:
            session.stop()

    def rows(self, sql):
        return [tuple(row) for row in self.session.sql(sql).collect()]
