"""A ``.env`` file has the same values as with Node's ``dotenv``."""

import pytest

from quire.settings.dotenv import parse_dotenv

CASES = [
    pytest.param("A=1", {"A": "1"}, id="plain"),
    pytest.param("  A = 1 ", {"A": "1"}, id="space around name and value"),
    pytest.param("export A=1", {"A": "1"}, id="export"),
    pytest.param("A: 1", {"A": "1"}, id="colon and space"),
    pytest.param("A:1", {}, id="colon without space is no assignment"),
    pytest.param("A=", {"A": ""}, id="empty"),
    pytest.param("A=\nB=2", {"A": "", "B": "2"}, id="empty does not take the next line"),
    pytest.param("A=1\nA=2", {"A": "2"}, id="the last wins"),
    pytest.param("# A=1\n#B=2", {}, id="comments"),
    pytest.param("A=1 # one", {"A": "1"}, id="comment after a value"),
    pytest.param("A=ab#cd", {"A": "ab"}, id="a value ends at a hash even without a space"),
    pytest.param('A="ab#cd"', {"A": "ab#cd"}, id="not in double quotes"),
    pytest.param("A='ab#cd' # x", {"A": "ab#cd"}, id="not in single quotes"),
    pytest.param('A=`it\'s "so"`', {"A": 'it\'s "so"'}, id="back-ticks hold both quotes"),
    pytest.param('A="a\\nb\\tc"', {"A": "a\nb\\tc"}, id="line ends only, in double quotes"),
    pytest.param("A='a\\nb'", {"A": "a\\nb"}, id="nothing in single quotes"),
    pytest.param("A=a\\nb", {"A": "a\\nb"}, id="nothing without quotes"),
    pytest.param('A="say \\"x\\""', {"A": 'say \\"x\\"'}, id="escaped quotes keep the backslash"),
    pytest.param('A="one\ntwo"\nB=3', {"A": "one\ntwo", "B": "3"}, id="several lines"),
    pytest.param('A="x" y', {"A": '"x" y'}, id="quotes inside a value stay"),
    pytest.param("A=k1=,k2=", {"A": "k1=,k2="}, id="padding of base64"),
    pytest.param("A=$B ${C}", {"A": "$B ${C}"}, id="nothing is expanded"),
    pytest.param("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}, id="carriage returns"),
    pytest.param("words in a line\nA=1", {"A": "1"}, id="other lines are passed over"),
]


@pytest.mark.parametrize(("text", "variables"), CASES)
def test_a_file_is_read_as_node_reads_it(text: str, variables: dict[str, str]) -> None:
    assert variables == parse_dotenv(text)
