// The frame of every view: where one can go, how the server fares, who one is.
import { useEffect, useRef } from "preact/hooks";
import { Archive } from "./archive/archive.jsx";
import { Connection } from "./connection.jsx";
import { Knowledge } from "./knowledge/knowledge.jsx";
import { Live } from "./live/live.jsx";
import { Match } from "./match/match.jsx";
import { Icon } from "./parts/icon.jsx";
import { Notices } from "./parts/notices.jsx";
import { Query } from "./query/query.jsx";
import { href, place } from "./router.js";
import { demanded, hasToken, takeToken } from "./server/requests.js";
import { client } from "./server/role.js";
import { shortIri, zone } from "./server/terms.js";
import { useAnswer } from "./server/use_answer.js";
import { SignIn } from "./sign_in.jsx";
import { chooseTheme, theme } from "./theme.js";

const VIEWS = {
  live: { name: "Live", icon: "pulse", View: Live },
  query: { name: "Query", icon: "code", View: Query },
  knowledge: { name: "Knowledge", icon: "tree", View: Knowledge },
  archive: { name: "Archive", icon: "archive", View: Archive },
  match: { name: "A match", View: Match, of: "live" },
};
const THEMES = { system: "light", light: "dark", dark: "system" };
const THEME_ICONS = { system: "half", light: "sun", dark: "moon" };

/** What of a view is chosen: by it entries of the history, and tabs, are told apart. */
function chosen({ parts, search }) {
  const iri = search.get("iri") ?? search.get("class");
  return iri ? shortIri(iri) : (search.get("search") ?? parts[0]);
}

function Navigation({ current }) {
  return (
    <nav class="navigation" aria-label="Views">
      {Object.entries(VIEWS)
        .filter(([, { icon }]) => icon)
        .map(([view, { name, icon }]) => (
          <a key={view} href={href(view)} aria-current={current === view ? "page" : undefined}>
            <Icon name={icon} />
            <span>{name}</span>
          </a>
        ))}
    </nav>
  );
}

/** Who one is, by the token, and the way out. */
function SignedIn() {
  const { value } = useAnswer("/client");
  useEffect(() => {
    client.value = value;
  }, [value]);
  if (!hasToken() || demanded.value) return null;
  return (
    <>
      {value && (
        <span class="note signed-in" title={`Your token allows: ${value.role}`}>
          {value.token}
        </span>
      )}
      <button type="button" class="quiet" onClick={() => (takeToken(null), location.reload())}>
        Sign out
      </button>
    </>
  );
}

function ThemeButton() {
  const now = theme.value;
  const title = `Colours: ${now}. Change to ${THEMES[now]}.`;
  return (
    <button type="button" class="quiet icon" aria-label={title} title={title} onClick={() => chooseTheme(THEMES[now])}>
      <Icon name={THEME_ICONS[now]} />
    </button>
  );
}

export function App() {
  const { view } = place.value;
  const shown = VIEWS[view] ?? VIEWS.live;
  const main = useRef(null);
  const first = useRef(true);
  const about = chosen(place.value);
  useEffect(() => {
    document.title = [about, shown.name, "kaicep"].filter(Boolean).join(" · ");
  }, [about, shown]);
  useEffect(() => {
    if (!first.current) main.current.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [shown]);
  const skip = (event) => (event.preventDefault(), main.current.focus());
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <header class="bar">
        <a class="brand" href={href("live")}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M8 9c5 0 5 4 8 8s4 7 8 7M24 8 8 25" />
          </svg>
          <span>kaicep</span>
        </a>
        <Navigation current={shown.of ?? (VIEWS[view] ? view : "live")} />
        <div class="bar-end">
          <Connection />
          <ThemeButton />
          <SignedIn />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <shown.View />
        <p class="note zone">Times are those of this machine: {zone}</p>
      </main>
      <Notices />
      {demanded.value && <SignIn why={demanded.value} />}
    </div>
  );
}
