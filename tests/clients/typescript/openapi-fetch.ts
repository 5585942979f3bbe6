// Uses both APIs by the types that openapi-typescript makes of their documents.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import qs from "qs";
import type { paths as AdminPaths } from "./admin.js";
import type { paths as ContentPaths } from "./content.js";

const address = process.env.ADDRESS ?? "";
const querySerializer = (query: unknown) => qs.stringify(query, { encodeValuesOnly: true });
const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` });

const content = createClient<ContentPaths>({
  baseUrl: `${address}/api`,
  headers: bearer(process.env.API_TOKEN),
  querySerializer,
});
const listed = await content.GET("/articles", {
  params: {
    query: {
      filters: { author: { name: { $contains: "Voss" } } },
      populate: { author: { fields: ["name"] } },
      "pagination[pageSize]": 2,
    },
  },
});
assert.equal(listed.data?.data.length, 2);
for (const article of listed.data.data) assert.equal(article.author?.name, "Maren Voss");
const pagination = listed.data.meta.pagination;
assert.ok("pageSize" in pagination && pagination.pageSize === 2);

const created = await content.POST("/articles", {
  params: { query: { status: "draft" } },
  body: { data: { title: "Generated", author: { connect: [1] } } },
});
const documentId = created.data?.data.documentId ?? "";
const empty: { [key: string]: unknown } | undefined = created.data?.meta;
assert.deepEqual(empty, {});
const updated = await content.PUT("/articles/{documentId}", {
  params: { path: { documentId }, query: { status: "draft" } },
  body: { data: { title: "Changed" } },
});
assert.equal(updated.data?.data.title, "Changed");
const found = await content.GET("/articles/{documentId}", {
  params: { path: { documentId }, query: { status: "draft", populate: ["author"] } },
});
assert.equal(found.data?.data.author?.name, "Maren Voss");
const missing = await content.GET("/articles/{documentId}", {
  params: { path: { documentId: "missing" } },
});
assert.equal(missing.error?.error.status, 404);

const admin = createClient<AdminPaths>({
  baseUrl: address,
  headers: bearer(process.env.ACCESS_TOKEN),
  querySerializer,
});
const managed = await admin.GET("/content-manager/collection-types/{uid}", {
  params: { path: { uid: "api::article.article" }, query: { filters: { title: "Changed" } } },
});
assert.equal(managed.data?.results.length, 1);
const tokens = await admin.GET("/admin/api-tokens");
assert.equal(tokens.data?.data?.[0]?.name, "clients");
console.log("openapi-typescript and openapi-fetch: both APIs work");
