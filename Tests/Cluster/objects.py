"""SeaweedFS, which has the blobs and the files of jobs, in a network namespace."""

import json
import urllib.error
import urllib.request
from pathlib import Path

from databases import Network

STORE = {"store": "198.51.100.41"}
ADDRESS = STORE["store"]
BLOBS = f"s3://meanwhile/cluster?endpoint=http://{ADDRESS}:8333&tls=off"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDCLUSTER", "AWS_SECRET_ACCESS_KEY": "right"}


class Objects:
    """The service; its process belongs to the cluster's."""

    def __init__(self, cluster, program):
        self.cluster, self.program = cluster, program

    def begin(self):
        if not Path(self.program).exists():
            raise SystemExit("cluster-test: run script/bootstrap, which installs SeaweedFS")
        (self.cluster.folder / "objects").mkdir()
        identity = {"name": "cluster", "actions": ["Admin", "Read", "Write", "List"],
                    "credentials": [{"accessKey": KEYS["AWS_ACCESS_KEY_ID"], "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}]}
        (self.cluster.folder / "keys.json").write_text(json.dumps({"identities": [identity]}))
        self.start()
        self.cluster.wait(120, self.make_bucket, "SeaweedFS doesn't start")

    def start(self):
        folder = self.cluster.folder
        self.cluster.start(
            "store", "ip", "netns", "exec", Network.namespace("store"), self.program, "server", "-dir", str(folder / "objects"), "-ip", ADDRESS,
            "-ip.bind", "0.0.0.0", "-master.telemetry=false", "-master.volumeSizeLimitMB", "64", "-volume.max", "100", "-s3",
            "-s3.config", str(folder / "keys.json"), "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.localSocket", str(folder / "s3.socket"),
            "-filer.localSocket", str(folder / "filer.socket"))

    @staticmethod
    def make_bucket():
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            # The service of S3 refuses a request without a key.
            opener.open(f"http://{ADDRESS}:8333/", timeout=5).read()
        except urllib.error.HTTPError:
            pass
        except OSError:
            return False
        try:
            # The filer's folder of the bucket. An existing one can't be made, so this is last.
            opener.open(urllib.request.Request(f"http://{ADDRESS}:8888/buckets/meanwhile/", method="POST"), timeout=5).read()
        except OSError:
            return False
        return True
