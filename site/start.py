"""The start page: what the library is, in the words of the README."""

from __future__ import annotations

import re

from documents import Document, Places

SHOWN = ["two-commands-to-start-with", "a-first-program", "beside-other-libraries"]
PICTURE = "docs/demo.svg"


def page(readme: Document, places: Places, playground: bool) -> str:
    lead = readme.html(places, readme.parts[:1])
    sentence = re.search(r"</h1>\s*<p>(.*?)</p>", lead, re.S)[1]  # type: ignore[index]
    picture = re.search(r'alt="(.*?)"', lead)[1]  # type: ignore[index]
    users = re.search(r'<div class="wide".*?</table></div>', lead, re.S)[0]  # type: ignore[index]
    promises = re.findall(r"<li>\s*(?:<p>)?(.*?)(?:</p>)?\s*</li>", lead, re.S)
    places.images.add(PICTURE)
    play = '<a class="button" href="@/playground/index.html">Play with it</a>' if playground else ""
    parts = {anchor: readme.html(places, [readme.part(anchor)]) for anchor in SHOWN}
    return f"""
<section class="hero">
<h1>Of all these boxes, which pairs overlap?</h1>
<p class="lead">{sentence}</p>
<p class="buttons"><a class="button first" href="#two-commands-to-start-with">Start</a>{play}
<a class="button" href="@/reference/broadphase.h.html#bp_find_pairs">Reference</a>
<a class="button" href="@/evidence.html">Evidence</a></p>
<figure class="slice"><div><img src="@/assets/{PICTURE}" alt="{picture.partition(' Below:')[0].replace('Above: a', 'A')}"></div>
<figcaption>A slice through a million boxes. Orange marks where two of them overlap.</figcaption></figure>
</section>
<ul class="promises">{''.join(f'<li>{promise}</li>' for promise in promises)}</ul>
<div class="start">
{users}
{parts["two-commands-to-start-with"]}
{parts["a-first-program"]}
{parts["beside-other-libraries"]}
</div>
<h2 id="where-next">Where next</h2>
<div class="tiles">
<a class="tile" href="@/guide/overview.html"><strong>Guide</strong><span>Features, examples, the tool</span></a>
<a class="tile" href="@/methods/index.html"><strong>Methods</strong><span>Fourteen algorithms, drawn and measured</span></a>
<a class="tile" href="@/python/index.html"><strong>Python</strong><span>A tour with pictures</span></a>
<a class="tile" href="@/cpp/index.html"><strong>C++</strong><span>Ranges, exceptions, ownership; Bullet and FCL</span></a>
<a class="tile" href="@/guide/architecture.html"><strong>Architecture</strong><span>How it works inside</span></a>
<a class="tile" href="@/guide/reliability.html"><strong>Reliability</strong><span>What is promised, and how it is tested</span></a>
</div>
"""
