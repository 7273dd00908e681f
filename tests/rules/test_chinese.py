"""The Chinese of the project is written, not translated: words and sentences that an editor took out do not come back."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# What must not stand there, and what does instead.
WRONG = {
    "没对齐": "未对齐",
    "非对齐": "未对齐",
    "不对齐的": "未对齐",
    "上界": "时间下限",
    "在场": "驻留",
    r"没人(?:使?用|要|去用)": "并不使用的，没有请求的",
    "更严格了": "如今更要紧",
    "伤人": "拖慢速度",
    "方块": "分块（tile）",
    "不认识块": "与块的大小无关",
    r"显存此时已满|再无可得": "显存带宽此时已经用满",
    "页带来": "页面由谁搬来",
    r"要什么(?![么])": "访问了哪些内存，访问哪些数据",
    "未能存活": "异常退出",
    "停止噪声": "目标噪声",
    "忘记此令牌": "移除此令牌",
    "多久之前": "提交于",
    "无名": "未署名",
    "有未成功的": "部分失败",
    "注定失败": "必然失败",
    "相依": "前后依赖",
    "盖不住": "覆盖不了",
    # A ratio is no difference: three times the speed is not three times faster.
    r"[快慢](?:了|到)?\s?(?:\{\w+\}|[\d.]+|几)\s?倍": "速度变为 … 倍，用时变为 … 倍",
    r"[\u4e00-\u9fff],[\u4e00-\u9fff]": "，",
    r"[\u4e00-\u9fff]\([\u4e00-\u9fff]": "（",
    # Also beside a value that is put in; "?remove" is an address, and the notes of a formula have ASCII dots.
    r"[\u4e00-\u9fff”）}] ?[;:!](?!//)|[\u4e00-\u9fff”）] ?\?(?![a-z])|[;:!?] ?[\u4e00-\u9fff“（]": "；：！？",
    r"[\u4e00-\u9fff”）], |, [\u4e00-\u9fff“（]": "，",
}
KERNEL = r"核函数(?!）|，|即)"  # said once beside the word of these pages, 内核


def texts():
    """Every text in Chinese, and where it stands."""
    for path in [ROOT / "README.zh.md", *sorted((ROOT / "docs").glob("*.zh.md"))]:
        text = path.read_text()
        if path.name == "posts.zh.md":  # its second and third columns are the posts' own words
            text = re.sub(r"^(\| 00\d-\d+ \|)[^|]*\|[^|]*", r"\1", text, flags=re.M)
        yield path, re.sub(r"“[^”\n]*”", "", text) if path.name == "posts.zh.md" else text
    for pattern in ("web/*words.js", "web/*/words.js", "web/shortcuts.js", "web/result/why.js", "web/filters.js", "web/welcome.js", "web/lessons/*.js", "api/recipes/*.json", "kernels/suite/*.cu", "kernels/suite/*.h", "kernels/time/*.[ch]", "web/reasons.js", "web/source/machine_reasons.js", "api/figure_table.c", "api/problem_zh_*.h", "kernels/source/*.c", "api/recipe_marks.c", "client/terminal/language_*.inc", "kernels/calibrations/calibration.c"):
        for path in sorted(ROOT.glob(pattern)):
            yield path, "\n".join(text for text in re.findall(r'"(?:\\.|[^"\\\n])*"', path.read_text()) if re.search(r"[\u4e00-\u9fff]", text))


def found(text):
    return sorted({match for wrong in WRONG for match in re.findall(wrong, text)})


@pytest.mark.parametrize("path, text", texts(), ids=lambda one: one.name if isinstance(one, pathlib.Path) else "")
def test_no_word_that_was_corrected_comes_back(path, text):
    assert not found(text), {match: [right for wrong, right in WRONG.items() if re.fullmatch(wrong, match)] for match in found(text)}


def test_the_words_are_found():
    assert found("没对齐的读取快了 3.3 倍，用没人使用的共享内存") == ["快了 3.3 倍", "没人使用", "没对齐"]
    assert found("未对齐读取的速度变为 3.3 倍，慢 {more} %；为 {a}：b?remove=true") == []
    assert all(found(text) for text in ("没有 zz;它支持", "没有内核; 见", "没有{1}; 见", "标签: 值", "为何?", "一, 二", "“甲”, 乙"))


# ---- reasons of a missing value ----

REASONED_IN = ["api/stability_json.c", "api/bandwidth_json.c", "api/result_json.c", "api/counters_json.c", "api/device_json.c", "kernels/stability.c",
               "kernels/measure/counting.c", "executor/executor.c", "kernels/source/source_count.cpp", "api/source_predictions.c",
               "api/explain_json.c", "executor/source_task.c"]


def reasons_of(path):
    """What is told of a missing value or of an unstable result: sentences of several words."""
    text = (ROOT / path).read_text()
    calls = re.findall(r"(?:(?:json_parts_missing|stability_reason|counters_unavailable|say_inexact)\(|snprintf\((?:why|other), sizeof|json_writer_string\(json, .note.,|error_set\(why,)(.*?)\);", text, re.S)
    given = re.findall(r'(?:reason|untimed) = ("(?:\\.|[^"\\])*")', text) + re.findall(r'return ("(?:\\.|[^"\\])*");', text)
    strings = [one for call in [*calls, *given] for one in re.findall(r'"((?:\\.|[^"\\])*)"', call)]
    return {re.sub(r"%[-+.0-9]*(?:hh|h|ll|l|z)?[a-z]", "%", one.replace('\\"', '"')) for one in strings if len(one.split()) > 2}


def test_each_reason_is_there_in_chinese_on_the_page():
    rows = dict(re.findall(r'^  \["((?:\\.|[^"\\])*)", "((?:\\.|[^"\\])*)"(?:, "[^"]*")?\],$', "".join((ROOT / "web" / name).read_text() for name in ("reasons.js", "source/machine_reasons.js")), re.M))
    assert len(rows) > 40 and all(re.search(r"[\u4e00-\u9fff]", chinese) for chinese in rows.values())
    patterns = [re.sub("%", "(.+)", re.escape(english.replace('\\"', '"'))) for english in rows]
    told = {(path, reason) for path in REASONED_IN for reason in reasons_of(path)}
    assert len(told) > 25
    missing = sorted(reason for _, reason in told if not any(re.fullmatch(pattern, reason.replace("% samples", "cold samples").replace("%", "x")) for pattern in patterns))
    assert missing == []
    for english, chinese in rows.items():
        assert all(int(place) <= english.count("%") for place in re.findall(r"\{(\d)%?\}", chinese)), english


def test_the_posts_own_words_stand_beside_each_term():
    """Once on the page, in the lessons and in the README: who comes with a post finds them."""
    for name in ("web/words.js", "docs/lessons.zh.md", "README.zh.md"):
        text = (ROOT / name).read_text()
        assert all(word in text for word in ("核函数", "未对齐", "线程束", "warp")), name
        assert len(re.findall(KERNEL, text)) <= 3, name
    assert "SM" in (ROOT / "docs/lessons.zh.md").read_text()
