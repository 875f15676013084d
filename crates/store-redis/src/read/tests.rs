mod agree;
mod price;
mod refusals;
