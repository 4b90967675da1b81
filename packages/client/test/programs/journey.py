"""The whole journey of a partner, with the client that openapi-generator writes: see docs/guides/partner-api.md."""

import json
import os
import re
from typing import TYPE_CHECKING, Iterator, List, Optional
from urllib.parse import parse_qs, urlsplit

from quickquote import ApiClient, Configuration
from quickquote.api.events_api import EventsApi
from quickquote.api.proposals_api import ProposalsApi
from quickquote.api.quick_quotes_api import QuickQuotesApi
from quickquote.api_response import ApiResponse
from quickquote.exceptions import NotFoundException, UnauthorizedException
from quickquote.models import Quotation, StartedQuotation, StartQuotation, WebhookEvent


def connect(api_key: str) -> ApiClient:
    configuration = Configuration(host=os.environ["BASE_URL"], api_key={"apiKey": api_key})
    configuration.datetime_format = "%Y-%m-%dT%H:%M:%S.%fZ"
    return ApiClient(configuration)


client = connect(os.environ["API_KEY"])
quotations = QuickQuotesApi(client)
proposals = ProposalsApi(client)
events = EventsApi(client)


def cursor_after(page: ApiResponse) -> str:
    """That of its `Link: <…?after=…>; rel="next"`."""
    assert page.headers is not None
    [address] = re.findall(r"<(.*)>", page.headers["Link"])
    return parse_qs(urlsplit(address).query)["after"][0]


def follow(cursor: str) -> Iterator[WebhookEvent]:
    while True:
        page = events.list_events_with_http_info(after=cursor, wait=20)
        yield from page.data or []
        cursor = cursor_after(page)


def start(metadata: Optional[dict[str, str]], key: str) -> StartedQuotation:
    # White space at the beginning, and another alphabet.
    quote = StartQuotation(name="Portal", requirements_text="\n  Καλημέρα: invoices.", metadata=metadata)
    return quotations.start_quotation(quote, idempotency_key=key)


latest = cursor_after(events.list_events_with_http_info(after="latest"))

# As text, and again with the same key, which starts nothing.
started = start({"crm_deal": "D-1042"}, "deal-1")
assert start({"crm_deal": "D-1042"}, "deal-1").quotation_id == started.quotation_id
assert quotations.get_quotation(started.quotation_id).status == "queued"

# From files.
with_files = quotations.start_quotation_from_files(
    name="Portal", metadata=json.dumps({"crm_deal": "D-1043"}), files=["requirements.md", "requirements.md"]
)
ids: List[str] = [started.quotation_id, with_files.quotation_id]
print(json.dumps(ids), flush=True)

# A proposal that is not ready, an unknown quotation, and an invalid key.
for refused, wanted in [(ids[0], "PROPOSAL_NOT_FOUND"), ("0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d", "QUOTATION_NOT_FOUND")]:
    try:
        proposals_of = quotations.get_quotation_proposal(refused)
        raise AssertionError(proposals_of.id)
    except NotFoundException as error:
        assert json.loads(error.body)["code"] == wanted, error.body
try:
    QuickQuotesApi(connect("pk_unknown")).get_quotation(ids[0])
    raise AssertionError("a key that is none was taken")
except UnauthorizedException as error:
    assert error.status == 401

# Waits in the feed until both have completed.
ended: List[str] = []
for event in follow(latest):
    if event.type == "quotation.completed":
        ended.append(event.data["quotation_id"])
    if set(ids) <= set(ended):
        break

for id in ids:
    quotation: Quotation = quotations.get_quotation(id)
    assert (quotation.status, quotation.processed_step) == ("completed", "proposal")
    pipeline = quotations.get_quotation_pipeline(id)
    assert (pipeline.progress.completed, pipeline.progress.total) == (5, 5)
    proposal = quotations.get_quotation_proposal(id)
    assert proposal.quotation_id == id
    link = proposals.get_proposal_document_url(proposal.id)
    assert link.url == f"https://files.example.com/{proposal.document_id}"
    assert link.expires_at > quotation.created_at

# The list, newest first, page by page.
newest, *_ = quotations.list_quotations(status="completed", source="api_key", limit=1)
assert newest.id == ids[1] and newest.metadata == {"crm_deal": "D-1043"}
listed = quotations.list_quotations(status="completed", created_since=quotations.get_quotation(ids[0]).created_at)
assert [each.id for each in listed] == [ids[1], ids[0]]
assert listed[1].metadata == {"crm_deal": "D-1042"}
print("done")

if TYPE_CHECKING:
    # The type checker must refuse these: it reports each `ignore` that it does not need.
    quotations.get_quotation(1)  # type: ignore[arg-type]
    quotations.get_quotation(identifier="a")  # type: ignore[call-arg]
    quotations.get_quotation(ids[0]).state  # type: ignore[attr-defined]
    number: int = started.quotation_id  # type: ignore[assignment]
    StartQuotation(name="Portal")  # type: ignore[call-arg]
    quotations.list_quotations(created_since="today")  # type: ignore[arg-type]
