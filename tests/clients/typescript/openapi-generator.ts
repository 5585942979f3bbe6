// Uses both APIs by the classes that openapi-generator (typescript-fetch) makes of their documents.
import assert from "node:assert/strict";
import { APITokensApi, Configuration as AdminConfiguration, ContentApi } from "./admin-classes/index.js";
import { ArticleApi, Configuration, ListArticlesFieldsEnum } from "./content-classes/index.js";

const address = process.env.ADDRESS ?? "";
const articles = new ArticleApi(
  new Configuration({ basePath: `${address}/api`, accessToken: process.env.API_TOKEN }),
);
const listed = await articles.listArticles({
  filters: { author: { name: { $contains: "Voss" } } },
  fields: [ListArticlesFieldsEnum.Title],
  paginationPageSize: 2,
});
assert.equal(listed.data.length, 2);

const created = await articles.createArticle({
  status: "draft",
  createArticleRequest: {
    data: { title: "Of nobody", author: { connect: { documentId: listed.data[0]!.documentId } } },
  },
}).catch((error: { response: Response }) => error.response.status);
assert.equal(created, 400, "an article is no author");
const made = await articles.createArticle({
  status: "draft",
  createArticleRequest: { data: { title: "By openapi-generator" } },
});
const changed = await articles.updateArticle({
  documentId: made.data.documentId,
  status: "draft",
  createArticleRequest: { data: { title: "Changed by it" } },
});
assert.equal(changed.data.title, "Changed by it");
const found = await articles.findArticle({ documentId: made.data.documentId, status: "draft" });
assert.equal(found.data.title, "Changed by it");

const configuration = new AdminConfiguration({
  basePath: address,
  accessToken: process.env.ACCESS_TOKEN,
});
const managed = await new ContentApi(configuration).getContentManagerCollectionTypesByUid({
  uid: "api::article.article",
  pageSize: 3,
});
assert.equal(managed.results.length, 3);
const tokens = await new APITokensApi(configuration).getAdminApiTokens();
assert.equal(tokens.data?.[0]?.name, "clients");
console.log("openapi-generator: both APIs work");
