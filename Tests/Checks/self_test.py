#!/usr/bin/env python3
"""Tests that each check of this folder fails on bad input."""

import copy
import json
import os
import plistlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from PIL import Image

CHECKS = Path(__file__).parent
SCRIPTS = CHECKS.parent.parent / "script"


def resource(url, mime_type="text/html", data=b"<!DOCTYPE html><p>Hello", **more):
    return {"WebResourceURL": url, "WebResourceMIMEType": mime_type, "WebResourceData": data, **more}


def page(url, text, **more):
    return resource(url, data=text.encode(), WebResourceTextEncodingName="UTF-8", **more)


SITE = "http://127.0.0.1:8080"
GOOD = {
    "WebMainResource": page(
        f"{SITE}/",
        "<!DOCTYPE html><link rel=stylesheet href=a.css><iframe src=f.html></iframe>",
        WebResourceFrameName="",
    ),
    "WebSubresources": [
        resource(f"{SITE}/a.css", "text/css", b"p { color: red }", WebResourceTextEncodingName="utf-8"),
        resource(f"{SITE}/empty.gif", "image/gif", b""),
    ],
    "WebSubframeArchives": [
        {
            "WebMainResource": page(f"{SITE}/f.html", "<!DOCTYPE html><p>Frame<img src=b.png>"),
            "WebSubresources": [resource(f"{SITE}/b.png", "image/png", b"\x89PNG")],
            "WebSubframeArchives": [
                {"WebMainResource": page("about:srcdoc", "<!DOCTYPE html>", WebResourceFrameName="named")}
            ],
        }
    ],
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_check(self, script, *arguments):
        """The check's report, after asserting that its exit status agrees."""
        process = subprocess.run(
            [sys.executable, CHECKS / script, *map(str, arguments)], stdout=subprocess.PIPE, timeout=600
        )
        report = json.loads(process.stdout)
        fine = report.get("ok", "error" not in report)
        self.assertEqual(process.returncode, 0 if fine else 1)
        return report


class ArchiveCheck(Case):
    def check(self, archive, *options):
        file = self.folder / "page.webarchive"
        file.write_bytes(archive if isinstance(archive, bytes) else plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))
        return self.run_check("check_archive.py", file, self.folder / "out", *options)

    def assert_refused(self, change, part, place=""):
        """Asserts that the good archive with one change is refused, with one error that contains `part`."""
        archive = copy.deepcopy(GOOD)
        change(archive)
        errors = self.check(archive).get("errors", [])
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(part, errors[0])
        self.assertTrue(errors[0].startswith(place), errors[0])

    def test_a_good_archive_is_extracted_whole(self):
        report = self.check(GOOD)
        self.assertTrue(report["ok"], report)
        self.assertEqual((report["resources"], report["frames"]), (6, 2))
        self.assertIn("page_files/", Path(report["extracted"]).read_text())

    def test_a_file_other_than_a_binary_property_list_is_refused(self):
        for content in (b"", b"<html>", plistlib.dumps(GOOD, fmt=plistlib.FMT_XML)):
            self.assertIn("isn't a binary property list", self.check(content)["errors"][0])

    def test_a_cut_off_file_is_refused(self):
        whole = plistlib.dumps(GOOD, fmt=plistlib.FMT_BINARY)
        self.assertIn("cannot be read", self.check(whole[:-40])["errors"][0])

    def test_a_keyed_archive_is_refused(self):
        errors = self.check({"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": [], "$top": {}})["errors"]
        self.assertEqual(len(errors), 5, errors)

    def test_a_list_in_place_of_the_archive_is_refused(self):
        self.assertIn("must be dict", self.check([GOOD])["errors"][0])

    def test_a_too_deeply_nested_archive_is_refused(self):
        archive = inner = {"WebMainResource": GOOD["WebMainResource"]}
        for _ in range(40):
            inner["WebSubframeArchives"] = [{"WebMainResource": GOOD["WebSubframeArchives"][0]["WebMainResource"]}]
            inner = inner["WebSubframeArchives"][0]
        self.assertIn("deeper", self.check(archive)["errors"][0])

    def test_the_main_resource_is_required(self):
        self.assert_refused(lambda a: a.pop("WebMainResource"), "WebMainResource is missing")
        self.assert_refused(
            lambda a: a["WebSubframeArchives"][0].pop("WebMainResource"),
            "WebMainResource is missing",
            "archive.WebSubframeArchives[0]",
        )

    def test_unknown_keys_are_refused(self):
        self.assert_refused(lambda a: a.update(MeanwhileVersion=1), "MeanwhileVersion isn't a key")
        self.assert_refused(lambda a: a["WebSubresources"][0].update(Status=200), "Status isn't a key")

    def test_a_response_is_refused_except_from_safari(self):
        def add_response(archive):
            archive["WebSubresources"][0]["WebResourceResponse"] = b"bplist00"

        self.assert_refused(add_response, "WebResourceResponse isn't a key")
        archive = copy.deepcopy(GOOD)
        add_response(archive)
        self.assertTrue(self.check(archive, "--safari")["ok"])

    def test_empty_lists_are_refused(self):
        self.assert_refused(lambda a: a.update(WebSubresources=[]), "omit it", "archive.WebSubresources")
        self.assert_refused(lambda a: a.update(WebSubframeArchives=[]), "omit it", "archive.WebSubframeArchives")

    def test_lists_of_another_type_are_refused(self):
        self.assert_refused(lambda a: a.update(WebSubresources={}), "must be list")
        self.assert_refused(lambda a: a.update(WebSubresources=["text"]), "must be dict")
        self.assert_refused(lambda a: a.update(WebSubframeArchives=["text"]), "must be dict")

    def test_the_required_keys_of_a_resource_are_checked(self):
        for key in ("WebResourceData", "WebResourceURL", "WebResourceMIMEType"):
            self.assert_refused(lambda a: a["WebSubresources"][0].pop(key), f"{key} is missing")
            self.assert_refused(lambda a: a["WebMainResource"].pop(key), f"{key} is missing")

    def test_values_of_another_type_are_refused(self):
        for key in ("WebResourceData", "WebResourceURL", "WebResourceMIMEType", "WebResourceTextEncodingName"):
            self.assert_refused(
                lambda a: a["WebSubresources"][0].update({key: 1}), "is int", "archive.WebSubresources[0]"
            )

    def test_a_url_as_a_dictionary_is_refused(self):
        self.assert_refused(
            lambda a: a["WebSubresources"][0].update(WebResourceURL={"relative": f"{SITE}/a.css"}), "is dict"
        )

    def test_urls_that_are_not_absolute_are_refused(self):
        for url in ("", "a.css", "/a.css", "//127.0.0.1/a.css", "http:", "http:///a.css", "http://[/", "http://a/b c"):
            self.assert_refused(lambda a: a["WebSubresources"][0].update(WebResourceURL=url), "not absolute")

    def test_a_resource_may_be_in_several_frames_but_not_twice_in_one(self):
        again = copy.deepcopy(GOOD["WebSubresources"][0])
        self.assert_refused(lambda a: a["WebSubresources"].append(again), "occurs twice")
        archive = copy.deepcopy(GOOD)
        archive["WebSubframeArchives"][0]["WebSubresources"].append(again)
        self.assertTrue(self.check(archive)["ok"])

    def test_a_mime_type_with_parameters_or_none_at_all_is_refused(self):
        for mime_type in ("", "html", "image/png; q=1"):
            self.assert_refused(
                lambda a: a["WebSubresources"][1].update(WebResourceMIMEType=mime_type), "isn't of the form type/subtype"
            )

    def test_an_unknown_encoding_is_refused(self):
        self.assert_refused(
            lambda a: a["WebSubresources"][0].update(WebResourceTextEncodingName=""), "isn't an encoding"
        )
        self.assert_refused(
            lambda a: a["WebSubresources"][0].update(WebResourceTextEncodingName="utf-9"), "isn't an encoding"
        )

    def test_a_page_that_is_not_utf_8_is_refused(self):
        self.assert_refused(
            lambda a: a["WebMainResource"].update(WebResourceTextEncodingName="latin1"), 'must be "UTF-8"'
        )
        self.assert_refused(lambda a: a["WebMainResource"].pop("WebResourceTextEncodingName"), 'must be "UTF-8"')
        self.assert_refused(lambda a: a["WebMainResource"].update(WebResourceData=b"<p>\xe9"), "is not UTF-8")

    def test_frame_names_in_the_wrong_place_are_refused(self):
        self.assert_refused(lambda a: a["WebMainResource"].pop("WebResourceFrameName"), 'must be ""')
        self.assert_refused(lambda a: a["WebMainResource"].update(WebResourceFrameName="top"), 'must be ""')
        self.assert_refused(
            lambda a: a["WebSubframeArchives"][0]["WebMainResource"].update(WebResourceFrameName=""), "omit it"
        )
        self.assert_refused(lambda a: a["WebSubresources"][0].update(WebResourceFrameName="f"), "main resources only")

    def test_an_empty_page_is_refused(self):
        self.assert_refused(
            lambda a: a["WebMainResource"].update(WebResourceData=b""), "missing or empty", "extraction"
        )

    def test_an_archive_that_pywebarchive_cannot_read_is_refused(self):
        self.assert_refused(lambda a: a["WebSubresources"][0].update(WebResourceData=b"\xe9"), "Unicode", "extraction")


class PictureComparison(Case):
    def compare(self, a, b, *options):
        a.save(self.folder / "a.png")
        b.save(self.folder / "b.png")
        return self.run_check("compare_pictures.py", self.folder / "a.png", self.folder / "b.png", *options)

    def test_identical_pictures_have_no_difference(self):
        picture = Image.effect_noise((30, 20), 60).convert("RGB")
        self.assertEqual(self.compare(picture, picture), {"width": 30, "height": 20, "different": 0.0, "box": None})

    def test_each_channel_counts_beyond_the_tolerance_and_a_pixel_counts_once(self):
        plain = Image.new("RGB", (10, 10), (100, 100, 100))
        changed = plain.copy()
        for x, colour in enumerate([(109, 100, 100), (100, 91, 100), (100, 100, 109), (0, 255, 0), (108, 92, 108)]):
            changed.putpixel((x, 0), colour)
        self.assertEqual(self.compare(plain, changed)["different"], 0.04)
        self.assertEqual(self.compare(changed, plain, "--tolerance", "0")["different"], 0.05)
        self.assertEqual(self.compare(plain, changed, "--tolerance", "255")["different"], 0)

    def test_transparency_counts(self):
        solid = Image.new("RGB", (10, 10), (0, 0, 0))
        clear = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
        self.assertEqual(self.compare(solid, clear)["different"], 1)

    def test_other_sizes_are_an_error_unless_cropped(self):
        a, b = Image.new("RGB", (10, 10), "red"), Image.new("RGB", (8, 12), "red")
        self.assertIn("the sizes differ", self.compare(a, b)["error"])
        self.assertEqual(self.compare(a, b, "--crop"), {"width": 8, "height": 10, "different": 0.0, "box": None})
        self.assertGreater(self.compare(a, b, "--extend")["different"], 0)

    def test_a_file_other_than_a_picture_is_an_error(self):
        for content in (b"", b"<html>", b"\x89PNG\r\n\x1a\n"):
            (self.folder / "bad.png").write_bytes(content)
            self.assertIn(
                "error", self.run_check("compare_pictures.py", self.folder / "bad.png", self.folder / "bad.png")
            )
        missing = self.folder / "missing.png"
        self.assertIn("FileNotFoundError", self.run_check("compare_pictures.py", missing, missing)["error"])

    def test_a_cut_off_picture_is_an_error(self):
        whole = self.folder / "whole.png"
        Image.effect_noise((300, 300), 60).save(whole)
        cut = self.folder / "cut.png"
        cut.write_bytes(whole.read_bytes()[:5000])
        self.assertIn("error", self.run_check("compare_pictures.py", whole, cut))


class SleepTests(Case):
    """Tests of script/check-sleeps."""

    def check(self, source):
        (self.folder / "a.swift").write_text(source)
        command = [CHECKS.parent.parent / "script/check-sleeps", self.folder]
        return subprocess.run(command, stderr=subprocess.DEVNULL, timeout=600).returncode

    def test_a_sleep_for_a_duration_is_found(self):
        found = ["clock.sleep(for: .seconds(1))", "Task.sleep(until: end, clock: .continuous)", "usleep(10)"]
        found.append("Thread.sleep(forTimeInterval: 1)")
        for source in found:
            self.assertEqual(self.check(f"try await {source}\n"), 1, source)
        for source in ("try await stopwatch.sleep(until: end)", "Thread.sleep(until: end)"):
            self.assertEqual(self.check(f"{source}\n"), 0, source)

    def test_a_folder_that_cannot_be_read_is_an_error(self):
        self.folder = self.folder / "missing"
        with self.assertRaises(FileNotFoundError):
            self.check("")
        command = [CHECKS.parent.parent / "script/check-sleeps", self.folder]
        self.assertEqual(subprocess.run(command, stderr=subprocess.DEVNULL, timeout=600).returncode, 2)


class WordTests(Case):
    """Tests of script/check-words."""

    def words(self, **files):
        """The lines that the check prints about files, whose names have an underscore for the dot."""
        paths = [self.folder / name.replace("_", ".") for name in files]
        for path, source in zip(paths, files.values()):
            path.write_text(source, encoding="utf-8")
        result = subprocess.run([SCRIPTS / "check-words", *paths], stdout=subprocess.PIPE, text=True, timeout=600)
        lines = result.stdout.replace(f"{self.folder}/", "").splitlines()
        self.assertEqual(result.returncode, 0 if lines[0].startswith("the words of") else 1)
        return [] if result.returncode == 0 else lines

    def assert_found(self, name, source, *places):
        """Asserts that texts are found at these places, each a line number and the text."""
        found = [line.split(" belongs in ")[0] for line in self.words(**{name: source})]
        self.assertEqual(found, [f"{name.replace('_', '.')}:{line}: “{text}”" for line, text in places], source)

    def test_texts_in_swift_are_found(self):
        self.assert_found("A_swift", 'let a = 1\nlet b = "Page saved"\n', (2, "Page saved"))
        self.assert_found("A_swift", 'throw E("""\n    Page \\\n    saved\n    """)', (1, "Page saved"))
        self.assert_found("A_swift", 'f("\\(count) pages", #"“\\#(n)” is here"#)', (1, "… pages"), (1, "“…” is here"))
        self.assert_found("A_swift", 'f("\\(a.map { "An item \\($0)" })")', (1, "An item …"))
        self.assert_found("A_swift", 'let r = /"/\nlet a = b / c\nf("Saving…")', (3, "Saving…"))
        self.assert_found("A_swift", '/* /* " */ " */ f("Page saved") // "Page saved"', (1, "Page saved"))

    def test_other_literals_in_swift_are_not_texts(self):
        for literal in ('"a/b-c.png"', '"\\(a)/\\(b).png"', '"name"', '"GET"', '"\\(a): \\(b)"', '"text/html"', '" "'):
            self.assert_found("A_swift", f"let a = {literal}\n")
        self.assert_found("A_swift", 'logger.error("Could not save", metadata: ["error": "\\(error)"])\n')
        self.assert_found("A_swift", 'precondition(a > 0, "The size is wrong")\n')

    def test_texts_in_scripts_are_found(self):
        self.assert_found("a_js", "f('Page saved');\nf(`${n} pages ${`Page saved`}`)", *[
            (1, "Page saved"), (2, "… pages …"), (2, "Page saved"),
        ])
        self.assert_found("a_js", 'const a = b.replace(/["\']/g, ""), c = a / 2; f("Undo");', (1, "Undo"))

    def test_other_literals_in_scripts_are_not_texts(self):
        selector = 'a.querySelector("#list .select input")'
        for code in (selector, 'a.key === "Escape"', 'f("click", `${a}px`)', "// It's a"):
            self.assert_found("a_js", f"{code}\n")

    def test_texts_in_templates_are_found(self):
        self.assert_found("a_mustache", "<p>\n{{count}} pages\n</p>", (2, "pages"))
        for name in ("title", "aria-label", "placeholder", "alt", "data-done"):
            self.assert_found("a_mustache", f'<a {name}="Open {{{{name}}}}"></a>', (1, "Open"))

    def test_markup_and_words_in_templates_are_not_texts(self):
        self.assert_found("a_mustache", '<p class="big row" id="a">{{word.saved}} · {{#a}}{{name}}{{/a}}</p>\n')
        self.assert_found("a_mustache", '<a data-live-event="list" title="{{word.open}}"{{#a}} hidden{{/a}}></a>\n')

    def test_words_that_nothing_uses_are_found(self):
        words = """enum AWords {
            static let used = "Page saved"
            static let unused = "Page lost"
            static let shared = "Undo"
            static func count(_ value: Int) -> String { "\\(number(value)) pages" }
            static func number(_ value: Int) -> String { "\\(value)" }
            static let all = ["unused": "Page found", "undo": shared]
        }
        """
        found = self.words(AWords_swift=words, B_swift="f(AWords.used, AWords.all, B.unused)")
        unused = [f"AWords.swift:{line}: nothing uses the word {name}" for line, name in ((3, "unused"), (5, "count"))]
        self.assertEqual(found, unused)


class StageTests(Case):
    """Tests of the summary that script/stages.bash prints at the end."""

    def run_stages(self, commands):
        script = f'set -euo pipefail; source "{CHECKS.parent.parent}/script/stages.bash"\n{commands}'
        result = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=600,
        )
        return result.returncode, result.stdout

    def test_a_stage_that_fails_in_a_lane_fails_the_script(self):
        status, output = self.run_stages('f() { stage "bad" false || true; }; lane one f; stage "good" true; join_lanes')
        self.assertEqual(status, 1)
        self.assertIn("FAILED: bad", output)

    def test_a_lane_that_ends_between_stages_fails_the_script(self):
        status, output = self.run_stages("f() { exit 3; }; lane one f; join_lanes")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: one", output)

    def test_a_script_that_ends_early_prints_its_lanes_and_ends_their_processes(self):
        commands = 'f() { stage "bad" false || true; sleep 600 & echo $! >child; wait; }; lane one f\n'
        commands += 'until [[ -s child ]]; do sleep 0.01; done; stage "build" false'
        status, output = self.run_stages(commands)
        self.assertEqual(status, 1)
        self.assertIn("FAILED: bad, build", output.replace("build, bad", "bad, build"))
        child = Path("/proc") / (self.folder / "child").read_text().strip()
        self.assertFalse(child.exists() and "zombie" not in (child / "status").read_text())

    def test_the_time_of_a_lane_does_not_count_as_that_of_a_stage(self):
        commands = """
            stage_row() { echo "$1: $4"; }
            f() { "$PYTHON" -c $'import time\nwhile time.process_time() < 2.5: pass'; }
            g() { tail --pid="${lane_processes[0]}" -f /dev/null; }
            lane one f; stage "waits" g; join_lanes"""
        status, output = self.run_stages(f'PYTHON="{sys.executable}"{commands}')
        self.assertEqual(status, 0)
        self.assertIn("waits: 0\n", output)
        self.assertNotIn("total: 0\n", output)

    def test_an_example_that_prints_everything_and_fails_is_a_failure(self):
        for folder in ("Examples/Sample", ".build/examples"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "Examples/Sample/expected-output.txt").write_text("all\n")
        commands = f"eval \"$(sed -n '/^build_examples() {{/,/^}}/p' {SCRIPTS}/test)\"\n"
        commands += "swift() { echo .; }; stage examples build_examples || true"
        for end, fails in (("exit 0", False), ("exit 3", True), ("echo more", True)):
            (self.folder / "Sample").write_text(f"#!/bin/bash\necho all\n{end}\n")
            (self.folder / "Sample").chmod(0o755)
            status, output = self.run_stages(commands)
            self.assertEqual((status, "FAILED: examples" in output), (int(fails), fails), output)

    def test_a_crash_is_reported_with_its_message_and_the_running_tests(self):
        printed = ["◇ Test ends() started.", "◇ Test crashes() started.", "✔ Test ends() passed after 1 seconds."]
        printed.append("Boards.swift:7: Fatal error: Index out of range")
        command = "printf '%s\\n' " + " ".join(f"'{line}'" for line in printed) + "; kill -ILL $$"
        (self.folder / "meanwhilePackageTests.xctest").write_text(f"#!/bin/bash\n{command}\n")
        (self.folder / "meanwhilePackageTests.xctest").chmod(0o755)
        tests = CHECKS.parent.parent / "script/tests.bash"
        status, output = self.run_stages(f"source {tests}; test_products=.; stage tests run_tests || true")
        self.assertEqual(status, 1)
        end = output[output.index("FAILED: tests") :]
        self.assertIn("with exit status 132", end)
        self.assertIn("begun and not ended: crashes() \n", end)
        self.assertIn("Fatal error: Index out of range", end)


class CopiedScriptTests(Case):
    """Tests of scripts, copied to a folder where the programs that they run are stubs."""

    def run_script(self, name, *arguments, **stubs):
        shutil.copytree(SCRIPTS, self.folder / "script", dirs_exist_ok=True)
        for stub, commands in {"script/bootstrap": "", "bin/swift": "", **stubs}.items():
            file = self.folder / stub
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"#!/bin/bash\n{commands}\n")
            file.chmod(0o755)
        result = subprocess.run(
            [self.folder / "script" / name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}, timeout=600,
        )
        return result.returncode, result.stdout

    def test_bench_measures_nothing_after_a_failed_build(self):
        old = {".build/benchmarks/release/capture-figures": "echo old figures"}
        status, output = self.run_script("bench", **{"bin/swift": "exit 7", **old})
        self.assertEqual((status, output), (7, ""))

    def test_soak_refuses_ranges_without_slices(self):
        for slices in ("9-3", "0", "1-999", "3-", "all"):
            status, output = self.run_script("soak", "--waits", slices)
            self.assertEqual(status, 64, slices)
            self.assertIn("name a slice from 1 to", output)

    def test_soak_reads_a_number_with_a_leading_zero_as_decimal(self):
        # The slice fails, because there are no tests to run.
        status, output = self.run_script("soak", "--waits", "08")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: waits 8: ", output)

    def test_fuzz_reports_an_unknown_target_and_creates_no_corpus(self):
        fuzzer = {".build/fuzzing/release/Fuzzer": "[[ $1 == --list ]] && printf 'one\\ntwo\\n' || exit 64"}
        for arguments in (["--merge", "three"], ["three"]):
            status, output = self.run_script("fuzz", *arguments, **fuzzer)
            self.assertEqual(status, 64)
            self.assertIn("there is no target three. There are: one two", output)
            self.assertFalse((self.folder / ".build/fuzzing/corpora").exists())


class HangingTests(Case):
    """Tests of how script/tests.bash reports a run that was ended because it hung."""

    def hanging(self, output):
        log = self.folder / "tests.log"
        log.write_text(output)
        command = ["bash", "-c", 'source script/tests.bash; unfinished_tests "$1"', "bash", log]
        return subprocess.run(
            command, cwd=CHECKS.parent.parent, stdout=subprocess.PIPE, text=True, timeout=600, check=True
        ).stdout.split()

    def test_only_tests_that_have_not_ended_are_named(self):
        output = """◇ Test run started.
◇ Suite Boards started.
◇ Test ends() started.
◇ Test hangs() started.
◇ Test many(name:) started.
◇ Test case passing 1 argument name → "PNG" to many(name:) started.
◇ Test fails() started.
✔ Test ends() passed after 1.093 seconds.
✔ Test many(name:) with 16 test cases passed after 4.064 seconds.
✘ Test fails() recorded an issue at Boards.swift:7:9: It failed.
"""
        self.assertEqual(set(self.hanging(output)), {"hangs()", "fails()"})
        ended = output + "✘ Test fails() failed after 2 seconds with 1 issue.\n✔ Test hangs() passed after 3 seconds.\n"
        self.assertEqual(self.hanging(ended), [])


if __name__ == "__main__":
    unittest.main()
