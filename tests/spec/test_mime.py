"""
A rendered document is read back with the standard library's parser.

Not proved: that cloud-init and nodeadm, which have parsers of their own, read the same.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.mime import (
    NODE_CONFIG,
    SHELL,
    USER_DATA_LIMIT,
    Part,
    parse,
    render,
)

CONTENT = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=200)
PARTS = st.lists(
    st.builds(
        Part, content_type=st.sampled_from([NODE_CONFIG, SHELL]), content=CONTENT
    ),
    min_size=1,
    max_size=4,
)


def script(content):
    return Part(content_type=SHELL, content=content)


@given(PARTS)
def test_h031_every_part_comes_back_byte_for_byte(parts):
    assert tuple(parts) == parse(render(parts))


@given(PARTS)
def test_h031_the_boundary_stands_in_no_part_and_closes_the_document(parts):
    text = render(parts)
    boundary = re.search('boundary="([^"]+)"', text).group(1)

    assert not any(boundary in part.content for part in parts)
    assert text.endswith(f"\n--{boundary}--\n")


@given(PARTS)
def test_h031_a_blank_line_follows_each_header(parts):
    text = render(parts)
    boundary = re.search('boundary="([^"]+)"', text).group(1)
    blocks = text.split(f"--{boundary}\n")[1:]

    assert len(parts) == len(blocks)
    assert all(re.match(r"Content-Type: [^\n]+\n\n", block) for block in blocks)


def test_h031_a_part_that_holds_the_boundary_gets_another_one():
    quoting = script("#!/bin/bash\n--eks-jobs-part--\n: eks-jobs-part-1\n")

    assert 'boundary="eks-jobs-part-2"' in render([quoting])
    assert (quoting,) == parse(render([quoting]))


def test_lines_that_mail_would_change_stay_as_they_are():
    long = "x" * 2_000
    part = script(f"#!/bin/bash\nFrom here\n.\n{long}\n  trailing  \n\n\n")

    assert (part,) == parse(render([part]))
    assert part.content in render([part])


def test_equal_parts_give_equal_bytes():
    assert render([script("#!/bin/sh\n")]) == (
        "MIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="eks-jobs-part"\n'
        "\n"
        "--eks-jobs-part\n"
        'Content-Type: text/x-shellscript; charset="utf-8"\n'
        "\n"
        "#!/bin/sh\n"
        "\n"
        "--eks-jobs-part--\n"
    )


def test_h033_16_kib_are_accepted_and_one_byte_more_is_not():
    frame = len(render([script("")]))
    render([script("x" * (USER_DATA_LIMIT - frame))])
    message = (
        "user_data must be at most 16384 bytes with what is added to it, "
        "got 16385 bytes"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        render([script("x" * (USER_DATA_LIMIT - frame + 1))])


def test_h033_the_limit_counts_bytes_and_not_characters():
    with pytest.raises(ValueError, match="got 1[0-9]{4} bytes$"):
        render([script("é" * (USER_DATA_LIMIT // 2))])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("#!/bin/bash\r\n", "content must have Unix line ends, got carriage returns"),
        ("\0", "content must be text, got NUL characters"),
    ],
)
def test_rejects_characters_that_a_parser_would_change(content, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        script(content)


def test_a_text_that_is_no_multipart_document_is_refused():
    with pytest.raises(ValueError, match="^user_data must be a multipart document$"):
        parse("#!/bin/bash\n")
