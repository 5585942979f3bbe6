"""The admin UIs of Quire and of Strapi, driven through the same tasks on the same data."""
