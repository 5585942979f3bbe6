// Starts Swagger UI on the reference page: with the description that the caller's token is given,
// and with nested parameters in brackets, as the server reads them.
"use strict";

const place = document.getElementById("reference");
const address = place.dataset.document;
const nested = new Set(["filters", "populate", "pagination"]);
let token = null;

// `{"author": {"name": "Ines"}}` becomes `[author][name]=Ines`.
function* spelled(value, path) {
  if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      yield* spelled(inner, `${path}[${key}]`);
    }
  } else {
    yield [path, value === null ? "" : String(value)];
  }
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function inBrackets(url) {
  const [path, query] = url.split(/\?(.*)/s);
  if (!query) {
    return url;
  }
  const pairs = [];
  for (const [name, text] of new URLSearchParams(query)) {
    const value = nested.has(name.split("[")[0]) ? parsed(text) : null;
    pairs.push(...(value === null ? [[name, text]] : spelled(value, name)));
  }
  const written = pairs.map((pair) => pair.map(encodeURIComponent).join("="));
  return `${path}?${written.join("&")}`;
}

function onRequest(request) {
  if (request.loadSpec) {
    if (token) {
      request.headers.Authorization = `Bearer ${token}`;
    }
  } else {
    request.url = inBrackets(request.url);
  }
  return request;
}

// Whoever signs in may do other things, so the description is asked for once more.
function followingTheToken(system) {
  const described = (original, given) => (payload) => {
    const done = original(payload);
    token = given(payload);
    system.specActions.download(address);
    return done;
  };
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (original) =>
            described(original, (payload) => payload.bearer?.value ?? null),
          logout: (original) => described(original, () => null),
        },
      },
    },
  };
}

window.ui = SwaggerUIBundle({
  dom_id: "#reference",
  url: address,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
  requestInterceptor: onRequest,
  plugins: [followingTheToken],
});
