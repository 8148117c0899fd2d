// Icons, drawn in lines; what they mean is said beside them.
const PATHS = {
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
  tree: "M6 3v14a3 3 0 0 0 3 3h4M6 9h7m2-3h6v6h-6zm0 11h6v6h-6z",
  archive: "M4 4h16v5H4zm1 5v11h14V9m-9 4h4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.5 1.5m11 11L19 19M5 19l1.5-1.5m11-11L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5",
  half: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18m0 0v18m0-14 6 6m-6-1 5 5",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zm4 4h4",
  play: "M7 4v16l13-8z",
  pause: "M7 4v16M17 4v16",
  stop: "M6 6h12v12H6z",
  download: "M12 3v13m-5-5 5 5 5-5M4 21h16",
  upload: "M12 17V4M7 9l5-5 5 5M4 21h16",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14m5 12 5 5",
  chevron: "m9 5 7 7-7 7",
  check: "m4 13 5 5L20 6",
  warn: "M12 3 2 20h20zm0 7v4m0 3v.5",
  cross: "m5 5 14 14M19 5 5 19",
};

export const Icon = ({ name }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
